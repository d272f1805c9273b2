#include "component/component_server.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "net/server.h"
#include "serving/auth/bearer_token.h"
#include "serving/auth/client_certificate.h"
#include "serving/auth/forbidden.h"
#include "serving/auth/request_authenticator.h"
#include "serving/auth/token_cache.h"
#include "serving/profile_pages.h"
#include "serving/request/request_attributes.h"
#include "serving/request/respond.h"

namespace skiff {
namespace {

// Without an API server to ask, tokens mean nothing to anybody.
class UnknownTokens final : public TokenAuthenticator {
 public:
  void AuthenticateToken(std::string_view /*token*/, WantedAudiences /*audiences*/,
                         AuthenticationCallback done) override {
    done({});
  }
};

ZPages::Options WithPaths(ZPages::Options options) {
  for (const char* path : {"/configz", "/healthz", "/livez", "/metrics", "/readyz"}) {
    options.served.emplace_back(path);
  }
  return options;
}

class Server final : public ComponentServer, private HttpHandler {
 public:
  Server(ComponentServerOptions options, const ComponentEnvironment& environment)
      : options_(std::move(options)),
        environment_(environment),
        tokens_(MakeTokens()),
        authenticator_(MakeMethods(), AnonymousOptions{}),
        authorizer_(options_.delegation, options_.access_reviews, environment.clock),
        profiles_(environment.clock),
        health_metrics_(std::chrono::duration<double>(environment.clock.Wall()).count()),
        zpages_(WithPaths(options_.zpages), environment.clock) {
    SetChecks({});
  }
  ~Server() override { Stop(); }

  Result<void> Listen() {
    HttpServerOptions http;
    http.addresses = {options_.address};
    http.tls = options_.tls;
    http.handler = this;
    http.clock = &environment_.clock;
    http.loops = 1;
    http.share_port = options_.share_port;
    if (options_.max_streams != 0) http.limits.max_streams = options_.max_streams;
    http.on_error = [&log = environment_.log](std::string_view what) { log.Warning(what); };
    SKIFF_ASSIGN_OR_RETURN(http_, HttpServer::Start(std::move(http)));
    return {};
  }

  void SetChecks(std::vector<HealthCheck> checks) override {
    auto made = std::make_shared<Health>();
    if (checks.empty()) checks.push_back({.name = "ping", .check = [] { return std::string(); }});
    made->SetMetrics(health_metrics_);
    for (HealthCheck& check : checks) made->Add(std::move(check));
    const std::lock_guard lock(health_mutex_);
    health_ = std::move(made);
  }

  const std::vector<std::string>& addresses() const override { return http_->addresses(); }

  void Stop() override {
    profiles_.Stop();
    if (http_ != nullptr) http_->Stop();
  }

 private:
  std::unique_ptr<TokenAuthenticator> MakeTokens() {
    if (options_.token_reviews == nullptr) return std::make_unique<UnknownTokens>();
    auto reviewed = std::make_unique<DelegatedTokens>(*options_.token_reviews);
    if (options_.delegation.token_ttl <= Duration::zero()) return reviewed;
    return std::make_unique<TokenCache>(std::move(reviewed), environment_.clock,
                                        options_.delegation.token_ttl);
  }

  std::vector<std::unique_ptr<Authenticator>> MakeMethods() {
    std::vector<std::unique_ptr<Authenticator>> methods;
    if (!options_.tls.client_ca_files.empty()) {
      methods.push_back(std::make_unique<ClientCertificateAuthenticator>(environment_.clock));
    }
    methods.push_back(std::make_unique<BearerTokenAuthenticator>(*tokens_));
    return methods;
  }

  void Handle(HttpRequest http, Responder responder) override {
    auto request = std::make_unique<ApiRequest>(
        ApiRequest{.http = std::move(http), .responder = std::move(responder)});
    request->audit_id = NewUuid(environment_.random);
    Result<QueryParameters> query = QueryParameters::Parse(request->http.query);
    if (!query) return RespondError(*request, query.error());
    request->query = std::move(*query);
    Result<RequestInfo> info =
        ReadRequestInfo(request->http.method, request->http.path, request->query);
    if (!info) return RespondError(*request, info.error());
    request->info = std::move(*info);
    const HttpRequest& asked = request->http;
    auto keep = std::make_shared<ApiRequestPtr>(std::move(request));
    authenticator_.Authenticate(asked, [this, keep](Authentication found) {
      AfterAuthentication(std::move(*keep), std::move(found));
    });
  }

  void AfterAuthentication(ApiRequestPtr request, Authentication found) {
    if (!found.ok()) {
      environment_.log.Verbose(2, "Unable to authenticate the request", {{"err", found.error}});
      return RespondError(*request, Status(StatusReason::kUnauthorized, "Unauthorized"));
    }
    request->user = std::move(found.user);
    const AccessAttributes attributes = AttributesOf(*request);
    auto keep = std::make_shared<ApiRequestPtr>(std::move(request));
    authorizer_.Authorize(attributes, [this, keep](const AuthorizationResult& answer) {
      AfterAuthorization(std::move(*keep), answer);
    });
  }

  void AfterAuthorization(ApiRequestPtr request, const AuthorizationResult& answer) {
    if (answer.decision != Decision::kAllow) {
      if (!answer.evaluation_error.empty()) {
        return RespondInternalError(*request, answer.evaluation_error);
      }
      return RespondError(*request, ForbiddenStatus(AttributesOf(*request), answer.reason));
    }
    // The answer may have come on the executor of the control loops, which have other things to do.
    const Responder& responder = request->responder;
    responder.Post([this, request = std::move(request)]() mutable { Route(std::move(request)); });
  }

  void Route(ApiRequestPtr request) {
    const std::string& path = request->info.path;
    if (Checks()->Answer(*request)) return;
    if (options_.profiling && profiles_.Answer(request)) return;
    if (path == "/metrics") {
      return RespondBytes(*request, 200, kMetricsContentType,
                          SharedBytes(environment_.metrics.Text()));
    }
    if (path == "/metrics/slis") {
      return RespondBytes(*request, 200, kMetricsContentType, SharedBytes(health_metrics_.Text()));
    }
    if (path == "/configz") {
      return RespondBytes(*request, 200, "application/json", SharedBytes(options_.config_json));
    }
    if (zpages_.Answer(*request)) return;
    RespondUnknownPath(*request);
  }

  std::shared_ptr<const Health> Checks() const {
    const std::lock_guard lock(health_mutex_);
    return health_;
  }

  const ComponentServerOptions options_;
  const ComponentEnvironment environment_;
  const std::unique_ptr<TokenAuthenticator> tokens_;
  RequestAuthenticator authenticator_;
  DelegatedAuthorizer authorizer_;
  ProfilePages profiles_;
  HealthMetrics health_metrics_;
  ZPages zpages_;
  mutable std::mutex health_mutex_;
  std::shared_ptr<const Health> health_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace

Result<std::unique_ptr<ComponentServer>> ComponentServer::Start(
    ComponentServerOptions options, const ComponentEnvironment& environment) {
  auto server = std::make_unique<Server>(std::move(options), environment);
  SKIFF_RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace skiff
