// The transport over HTTPS, to any Kubernetes API server.
//
//   HttpsTransport     calls, watches and discovery of one identity
//   ApiChannel         rate limit, credentials, retries
//   HttpsConnections   HTTP/2 and TLS, shared by identities of one server
//
// Objects of built-in kinds travel as protobuf. Watches end by themselves after some minutes, so
// that they spread over the servers of a cluster and over connections with new certificates; a peer
// that has fallen silent is noticed by pings within a minute.
#pragma once

#include <functional>
#include <memory>

#include "base/executor.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "client/client.h"
#include "client/https/api_channel.h"
#include "client/https/connections.h"
#include "client/https/discoverer.h"
#include "client/https/rest_config.h"
#include "client/https/rest_metrics.h"
#include "net/event_loop.h"

namespace skiff::client {

// What a transport runs on. The executor must be that of the loop; all outlive the transport.
struct HttpsEnvironment {
  std::shared_ptr<net::EventLoop> loop;
  Executor& executor;
  Random& random;
  Log* log = nullptr;
  RestClientMetrics* metrics = nullptr;
  Duration check_interval = limits::kCredentialCheckInterval;
};

class HttpsTransport final : public ClientTransport {
 public:
  // Any thread. Reads files and waits for the resolver; the server need not be there yet.
  static Result<std::unique_ptr<HttpsTransport>> Open(const HttpsEnvironment& environment,
                                                      const RestConfig& config);
  // With connections and a source of tokens that others may use too.
  HttpsTransport(const HttpsEnvironment& environment, const RestConfig& config,
                 std::shared_ptr<HttpsConnections> connections,
                 std::shared_ptr<TokenSource> tokens);
  // On the executor, or when its loop has stopped. Calls that are open are never answered, so
  // Close() comes before.
  ~HttpsTransport() override;

  Executor& executor() override { return executor_; }
  void Send(ClientCall call, std::move_only_function<void(Result<ClientReply>)> done) override;
  std::unique_ptr<ClientWatch> Watch(WatchCall call, ClientWatchSink* sink) override;
  void Discover(std::move_only_function<void(Result<ServedApi>)> done) override;
  void Close() override { channel_->Close(); }

 private:
  Executor& executor_;
  Random& random_;
  const Duration timeout_;
  const bool protobuf_;
  const std::shared_ptr<ApiChannel> channel_;
  Discoverer discoverer_;
};

}  // namespace skiff::client
