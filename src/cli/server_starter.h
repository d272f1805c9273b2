// The seam between the commands that run an API server and the server itself, so that commands can
// be tested with a double.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"

namespace skiff {

// A server that listens. Destroying it stops at once what is left.
class RunningServer {
 public:
  virtual ~RunningServer() = default;
  // "127.0.0.1:6443"
  virtual std::vector<std::string> addresses() const = 0;
  // Whether /readyz would say so.
  virtual bool ready() const = 0;
  // The end in order; returns when it is over.
  virtual void Drain() = 0;
};

// Options have been derived and validated; the rest outlives the server.
using ServerStarter = Result<std::unique_ptr<RunningServer>> (*)(ApiServerOptions options,
                                                                 Clock& clock, Random& random,
                                                                 Log& log);

// The starter of a class with the interface of ApiServer.
template <typename Server>
ServerStarter StarterOf() {
  class Adapter final : public RunningServer {
   public:
    explicit Adapter(std::unique_ptr<Server> server) : server_(std::move(server)) {}
    std::vector<std::string> addresses() const override { return server_->addresses(); }
    bool ready() const override { return server_->ready(); }
    void Drain() override { server_->Drain(); }

   private:
    std::unique_ptr<Server> server_;
  };
  return [](ApiServerOptions options, Clock& clock, Random& random,
            Log& log) -> Result<std::unique_ptr<RunningServer>> {
    SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<Server> server,
                           Server::Start(std::move(options), clock, random, log));
    return std::make_unique<Adapter>(std::move(server));
  };
}

// What `skiff up` starts; main() says so once, before it runs a command.
void SetServerStarter(ServerStarter starter);
ServerStarter ChosenServerStarter();

}  // namespace skiff
