#include "client/https/https_transport.h"

#include <algorithm>
#include <utility>

#include "client/https/api_request.h"
#include "client/https/https_watch.h"

namespace skiff::client {
namespace {

// As other clients of Kubernetes do, but for a server so near that bytes are cheap.
bool WantsCompression(const RestConfig& config, const net::ClientEndpoint& endpoint) {
  if (config.compression) return *config.compression;
  return endpoint.addresses.empty() || !endpoint.addresses.front().IsLoopback();
}

ApiChannel::Parts MakeParts(const HttpsEnvironment& environment, const RestConfig& config,
                            std::shared_ptr<HttpsConnections> connections,
                            std::shared_ptr<TokenSource> tokens) {
  net::HttpHeaders headers = IdentityHeaders(config);
  if (WantsCompression(config, connections->endpoint())) headers.Add("accept-encoding", "gzip");
  return {.executor = environment.executor,
          .random = environment.random,
          .connections = std::move(connections),
          .tokens = std::move(tokens),
          .headers = std::move(headers),
          .per_second = config.qps,
          .burst = config.burst,
          .retry_time = std::min<Duration>(limits::kApiRetryTime, config.timeout),
          .metrics = environment.metrics};
}

Result<ClientReply> ReplyOf(const ClientCall& call, Result<ApiResponse> answer) {
  if (!answer) return std::unexpected(std::move(answer).error());
  if (answer->code < 200 || answer->code > 299) return std::unexpected(DecodeStatus(*answer));
  return DecodeReply(call, *answer);
}

}  // namespace

Result<std::unique_ptr<HttpsTransport>> HttpsTransport::Open(const HttpsEnvironment& environment,
                                                             const RestConfig& config) {
  SKIFF_ASSIGN_OR_RETURN(auto connections,
                         HttpsConnections::Open(environment.loop, config,
                                                {.check_interval = environment.check_interval,
                                                 .log = environment.log}));
  auto tokens = std::make_shared<ConfiguredToken>(config, environment.executor.clock(),
                                                  environment.check_interval);
  return std::make_unique<HttpsTransport>(environment, config, std::move(connections),
                                          std::move(tokens));
}

HttpsTransport::HttpsTransport(const HttpsEnvironment& environment, const RestConfig& config,
                               std::shared_ptr<HttpsConnections> connections,
                               std::shared_ptr<TokenSource> tokens)
    : executor_(environment.executor),
      random_(environment.random),
      timeout_(config.timeout),
      protobuf_(config.protobuf),
      channel_(std::make_shared<ApiChannel>(
          MakeParts(environment, config, std::move(connections), std::move(tokens)))),
      discoverer_(*channel_) {}

HttpsTransport::~HttpsTransport() = default;

void HttpsTransport::Send(ClientCall call,
                          std::move_only_function<void(Result<ClientReply>)> done) {
  Result<net::ClientRequest> request = MakeRequest(call, protobuf_);
  if (!request) {
    executor_.Post([done = std::move(done), why = std::move(request).error()]() mutable {
      done(std::unexpected(std::move(why)));
    });
    return;
  }
  request->timeout = timeout_;
  const bool idempotent = IsIdempotent(call.verb);
  // The answer is read by what was asked; what was sent is no longer needed for that.
  call.body.reset();
  call.patch.clear();
  channel_->Send(
      *std::move(request), idempotent,
      [call = std::move(call), done = std::move(done)](Result<ApiResponse> answer) mutable {
        done(ReplyOf(call, std::move(answer)));
      });
}

std::unique_ptr<ClientWatch> HttpsTransport::Watch(WatchCall call, ClientWatchSink* sink) {
  constexpr uint64_t kShortest = limits::kWatchTime.count();
  const auto seconds = static_cast<int64_t>(kShortest + random_.Uniform(kShortest));
  return std::make_unique<HttpsWatch>(channel_, *call.resource, call.metadata_only,
                                      MakeWatchRequest(call, seconds, protobuf_), sink);
}

void HttpsTransport::Discover(std::move_only_function<void(Result<ServedApi>)> done) {
  discoverer_.Get(std::move(done));
}

}  // namespace skiff::client
