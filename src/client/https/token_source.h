// Where the token of a client comes from. All of it belongs to one executor.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "base/status.h"
#include "client/https/rest_config.h"

namespace skiff::client {

class TokenSource {
 public:
  using Done = std::move_only_function<void(Result<std::string>)>;

  virtual ~TokenSource() = default;
  // `done` may come within this call. An empty token: requests go without one.
  virtual void Get(Done done) = 0;
  // The server did not believe that token. Whether Get() would now give another one.
  virtual bool Refuse(const std::string& token) = 0;
  // Where the token comes from, and so what can be done about one that is not believed.
  virtual std::string Advice() const { return {}; }
};

// The token of a configuration. A file is read again when the last look at it is long ago, or when
// the server did not believe what was in it; while it cannot be read, the last token stays.
class ConfiguredToken final : public TokenSource {
 public:
  // The clock must outlive it.
  ConfiguredToken(RestConfig config, Clock& clock,
                  Duration check_interval = limits::kCredentialCheckInterval)
      : config_(std::move(config)), clock_(clock), check_interval_(check_interval) {}

  void Get(Done done) override;
  bool Refuse(const std::string& token) override;
  std::string Advice() const override;

 private:
  void Read();

  const RestConfig config_;
  Clock& clock_;
  const Duration check_interval_;
  std::string token_;
  Result<void> outcome_;
  Duration read_at_{-1};  // negative: never
};

}  // namespace skiff::client
