// The way of requests to an API server: each waits for its turn under the rate limit, is given the
// credentials of one identity, is sent, and is tried again where that is safe and may help.
//
// Retried, with exponential back-off and within limits::kApiRetries and kApiRetryTime: what did not
// come to the server; what is idempotent, after the connection broke; what the
// server put off (429, or 5xx, with Retry-After); and once what it did not believe, when the token
// or the certificate has changed since. Streams are tried again in the last case only, since who
// watches has a back-off of its own.
//
// An answer is whatever the server said, of any code. An error means that there was none: after
// kServerTimeout it is not known whether the request was carried out. Neither ever holds a secret.
// What comes compressed is inflated on the way, within limits::kMaxApiResponseBytes.
//
// Belongs to its executor, which is that of the connections' loop. Callbacks never come before the
// call that they belong to has returned, and may make further calls, but not destroy the channel.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/executor.h"
#include "base/random.h"
#include "base/status.h"
#include "client/https/api_response.h"
#include "client/https/connections.h"
#include "client/https/rate_limiter.h"
#include "client/https/rest_config.h"
#include "client/https/rest_metrics.h"
#include "client/https/token_source.h"
#include "net/client/http_client.h"

namespace skiff::client {

// Those of a configuration that say who asks, but for the token.
net::HttpHeaders IdentityHeaders(const RestConfig& config);

// Who follows a stream.
class ApiStreamHandler : public net::ResponseHandler {
 public:
  // Before OnHead() of an answer that refuses: what this side knows about why.
  virtual void OnAdvice(std::string advice) = 0;
};

class ApiChannel {
 public:
  struct Parts {
    Executor& executor;
    Random& random;
    std::shared_ptr<HttpsConnections> connections;
    std::shared_ptr<TokenSource> tokens;
    net::HttpHeaders headers;  // of every request
    double per_second = 0;
    int burst = 0;
    // How long after the start of a call it may be tried again.
    Duration retry_time = limits::kApiRetryTime;
    RestClientMetrics* metrics = nullptr;  // null: nobody counts
  };
  using CallId = uint64_t;
  using Done = std::move_only_function<void(Result<ApiResponse>)>;

  explicit ApiChannel(Parts parts);
  ApiChannel(const ApiChannel&) = delete;
  ApiChannel& operator=(const ApiChannel&) = delete;
  ~ApiChannel();

  CallId Send(net::ClientRequest request, bool idempotent, Done done);
  // The handler must live until its OnEnd() or Cancel().
  CallId Open(net::ClientRequest request, ApiStreamHandler* handler);
  // Without a further word. One that has ended is none.
  void Cancel(CallId id);
  // What is open, and everything from now on, ends with kServiceUnavailable.
  void Close();

  bool closed() const { return closed_; }
  Executor& executor() { return parts_.executor; }
  // Where it goes, for messages.
  std::string server() const { return parts_.connections->endpoint().ToString(); }

 private:
  struct Call;

  CallId Start(std::unique_ptr<Call> call);
  Call* Find(CallId id);
  void TakeTurn(Call& call);
  void Authorize(CallId id);
  void Transmit(Call& call, std::string token);
  void OnEnd(Call& call, Result<void> outcome);
  void Count(const Call& call, const Result<void>& outcome);
  // How long to wait before the call is made again; nothing: not at all.
  std::optional<Duration> RetryAfter(Call& call, const Result<void>& outcome);
  bool HasNewCredentials(Call& call);
  Duration Backoff(int tries);
  void TryAgain(Call& call, Duration after);
  void Finish(Call& call, Result<void> outcome);
  void FailLater(CallId id, Status why);
  // What can be done about having been refused; mostly empty.
  std::string Advice(const Call& call) const;

  Parts parts_;
  RateLimiter limiter_;
  std::map<CallId, std::unique_ptr<Call>> calls_;
  CallId last_id_ = 0;
  bool closed_ = false;
  // For what is posted or answered when the channel may be gone.
  const std::shared_ptr<ApiChannel*> self_ = std::make_shared<ApiChannel*>(this);
};

}  // namespace skiff::client
