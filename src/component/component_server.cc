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

namespace skiff::component {
namespace {

// Without an API server to ask, tokens mean nothing to anybody.
class UnknownTokens final : public serving::TokenAuthenticator {
 public:
  void AuthenticateToken(std::string_view /*token*/, serving::WantedAudiences /*audiences*/,
                         serving::AuthenticationCallback done) override {
    done({});
  }
};

serving::ZPages::Options WithPaths(serving::ZPages::Options options) {
  for (const char* path : {"/configz", "/healthz", "/livez", "/metrics", "/readyz"}) {
    options.served.emplace_back(path);
  }
  return options;
}

class Server final : public ComponentServer, private net::HttpHandler {
 public:
  Server(ComponentServerOptions options, const ComponentEnvironment& environment)
      : options_(std::move(options)),
        environment_(environment),
        tokens_(MakeTokens()),
        authenticator_(MakeMethods(), serving::AnonymousOptions{}),
        authorizer_(options_.delegation, options_.access_reviews, environment.clock),
        profiles_(environment.clock),
        health_metrics_(std::chrono::duration<double>(environment.clock.Wall()).count()),
        zpages_(WithPaths(options_.zpages), environment.clock) {
    SetChecks({});
  }
  ~Server() override { Stop(); }

  Result<void> Listen() {
    net::HttpServerOptions http;
    http.addresses = {options_.address};
    http.tls = options_.tls;
    http.handler = this;
    http.clock = &environment_.clock;
    http.loops = 1;
    http.share_port = options_.share_port;
    if (options_.max_streams != 0) http.limits.max_streams = options_.max_streams;
    http.on_error = [&log = environment_.log](std::string_view what) { log.Warning(what); };
    SKIFF_ASSIGN_OR_RETURN(http_, net::HttpServer::Start(std::move(http)));
    return {};
  }

  void SetChecks(std::vector<serving::HealthCheck> checks) override {
    auto made = std::make_shared<serving::Health>();
    if (checks.empty()) checks.push_back({.name = "ping", .check = [] { return std::string(); }});
    made->SetMetrics(health_metrics_);
    for (serving::HealthCheck& check : checks) made->Add(std::move(check));
    const std::lock_guard lock(health_mutex_);
    health_ = std::move(made);
  }

  const std::vector<std::string>& addresses() const override { return http_->addresses(); }

  void Stop() override {
    profiles_.Stop();
    if (http_ != nullptr) http_->Stop();
  }

 private:
  std::unique_ptr<serving::TokenAuthenticator> MakeTokens() {
    if (options_.token_reviews == nullptr) return std::make_unique<UnknownTokens>();
    auto reviewed = std::make_unique<DelegatedTokens>(*options_.token_reviews);
    if (options_.delegation.token_ttl <= Duration::zero()) return reviewed;
    return std::make_unique<serving::TokenCache>(std::move(reviewed), environment_.clock,
                                                 options_.delegation.token_ttl);
  }

  std::vector<std::unique_ptr<serving::Authenticator>> MakeMethods() {
    std::vector<std::unique_ptr<serving::Authenticator>> methods;
    if (!options_.tls.client_ca_files.empty()) {
      methods.push_back(
          std::make_unique<serving::ClientCertificateAuthenticator>(environment_.clock));
    }
    methods.push_back(std::make_unique<serving::BearerTokenAuthenticator>(*tokens_));
    return methods;
  }

  void Handle(net::HttpRequest http, net::Responder responder) override {
    auto request = std::make_unique<serving::ApiRequest>(
        serving::ApiRequest{.http = std::move(http), .responder = std::move(responder)});
    request->audit_id = NewUuid(environment_.random);
    Result<serving::QueryParameters> query = serving::QueryParameters::Parse(request->http.query);
    if (!query) return serving::RespondError(*request, query.error());
    request->query = std::move(*query);
    Result<serving::RequestInfo> info =
        serving::ReadRequestInfo(request->http.method, request->http.path, request->query);
    if (!info) return serving::RespondError(*request, info.error());
    request->info = std::move(*info);
    const net::HttpRequest& asked = request->http;
    auto keep = std::make_shared<serving::ApiRequestPtr>(std::move(request));
    authenticator_.Authenticate(asked, [this, keep](serving::Authentication found) {
      AfterAuthentication(std::move(*keep), std::move(found));
    });
  }

  void AfterAuthentication(serving::ApiRequestPtr request, serving::Authentication found) {
    if (!found.ok()) {
      environment_.log.Verbose(2, "Unable to authenticate the request", {{"err", found.error}});
      return serving::RespondError(*request, Status(StatusReason::kUnauthorized, "Unauthorized"));
    }
    request->user = std::move(found.user);
    const serving::AccessAttributes attributes = serving::AttributesOf(*request);
    auto keep = std::make_shared<serving::ApiRequestPtr>(std::move(request));
    authorizer_.Authorize(attributes, [this, keep](const serving::AuthorizationResult& answer) {
      AfterAuthorization(std::move(*keep), answer);
    });
  }

  void AfterAuthorization(serving::ApiRequestPtr request,
                          const serving::AuthorizationResult& answer) {
    if (answer.decision != serving::Decision::kAllow) {
      if (!answer.evaluation_error.empty()) {
        return serving::RespondInternalError(*request, answer.evaluation_error);
      }
      return serving::RespondError(
          *request, serving::ForbiddenStatus(serving::AttributesOf(*request), answer.reason));
    }
    // The answer may have come on the executor of the control loops, which have other things to do.
    const net::Responder& responder = request->responder;
    responder.Post([this, request = std::move(request)]() mutable { Route(std::move(request)); });
  }

  void Route(serving::ApiRequestPtr request) {
    const std::string& path = request->info.path;
    if (Checks()->Answer(*request)) return;
    if (options_.profiling && profiles_.Answer(request)) return;
    if (path == "/metrics") {
      return serving::RespondBytes(*request, 200, kMetricsContentType,
                                   SharedBytes(environment_.metrics.Text()));
    }
    if (path == "/metrics/slis") {
      return serving::RespondBytes(*request, 200, kMetricsContentType,
                                   SharedBytes(health_metrics_.Text()));
    }
    if (path == "/configz") {
      return serving::RespondBytes(*request, 200, "application/json",
                                   SharedBytes(options_.config_json));
    }
    if (zpages_.Answer(*request)) return;
    serving::RespondUnknownPath(*request);
  }

  std::shared_ptr<const serving::Health> Checks() const {
    const std::lock_guard lock(health_mutex_);
    return health_;
  }

  const ComponentServerOptions options_;
  const ComponentEnvironment environment_;
  const std::unique_ptr<serving::TokenAuthenticator> tokens_;
  serving::RequestAuthenticator authenticator_;
  DelegatedAuthorizer authorizer_;
  serving::ProfilePages profiles_;
  serving::HealthMetrics health_metrics_;
  serving::ZPages zpages_;
  mutable std::mutex health_mutex_;
  std::shared_ptr<const serving::Health> health_;
  std::unique_ptr<net::HttpServer> http_;
};

}  // namespace

Result<std::unique_ptr<ComponentServer>> ComponentServer::Start(
    ComponentServerOptions options, const ComponentEnvironment& environment) {
  auto server = std::make_unique<Server>(std::move(options), environment);
  SKIFF_RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace skiff::component
