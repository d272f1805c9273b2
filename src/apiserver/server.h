// The API server as one object: store, caches, pipeline and listener, started and stopped together.
//
// Owner: main(). Start() returns when the server listens and its caches are filled; bootstrap
// objects (roles, namespaces, the kubernetes service) are written meanwhile, and /readyz says when
// they are there.
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

class ApiServer {
 public:
  // The options have been derived and validated. Clock, randomness and log outlive the server.
  static Result<std::unique_ptr<ApiServer>> Start(ApiServerOptions options, Clock& clock,
                                                  Random& random, Log& log);
  // Stops at once what Drain() did not stop in order.
  ~ApiServer();

  // Where it listens: "127.0.0.1:6443".
  const std::vector<std::string>& addresses() const;
  // Whether /readyz would say so.
  bool ready() const;
  // The end in order: /readyz says no, for a while everything is still served, then nothing new is
  // taken, watches end, and what is under way is finished.
  void Drain();

 private:
  class Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace skiff
