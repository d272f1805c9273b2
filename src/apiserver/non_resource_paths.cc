#include "apiserver/non_resource_paths.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "apiserver/discovery/server_documents.h"
#include "apiserver/metrics.h"
#include "apiserver/rest/errors.h"
#include "base/version.h"
#include "serving/request/negotiate.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

bool Reads(const serving::ApiRequest& request) {
  return request.http.method == "GET" || request.http.method == "HEAD";
}

// Documents can only be read: anything else is answered here.
bool RefusesWrite(serving::ApiRequest& request) {
  if (Reads(request)) return false;
  serving::RespondError(request, MethodNotAllowed());
  return true;
}

void RespondDocument(serving::ApiRequest& request, serving::DocumentResponse answer) {
  net::HttpHeaders extra;
  if (!answer.etag.empty()) extra.Add("etag", answer.etag);
  if (!answer.vary.empty()) extra.Add("vary", answer.vary);
  if (!answer.location.empty()) extra.Add("location", answer.location);
  if (!answer.cache_control.empty()) extra.Add("cache-control", answer.cache_control);
  serving::RespondBytes(request, answer.code, answer.content_type, std::move(answer.body),
                        std::move(extra));
}

}  // namespace

NonResourcePaths::NonResourcePaths(Context context)
    : context_(std::move(context)),
      discovery_(
          std::make_shared<const Discovery>(context_.served, ExternalAddress(context_.options))),
      custom_kinds_(context_.custom),
      openapi_(context_.served, std::string(kKubernetesVersion), &custom_kinds_,
               &context_.documents),
      zpages_(
          {.component = "apiserver",
           .status = context_.gates.IsOn("ComponentStatusz"),
           .flags = context_.gates.IsOn("ComponentFlagz") ? context_.options.shown_flags : nullptr,
           .served = Paths()},
          context_.clock) {}

bool NonResourcePaths::Answer(serving::ApiRequest& request) const {
  if (request.info.is_resource) return false;
  if (context_.health.Answer(request)) return true;
  const std::string& path = request.info.path;
  if (path == "/metrics") {
    serving::RespondBytes(request, 200, kMetricsContentType, SharedBytes(context_.metrics.Text()));
    return true;
  }
  if (path == "/metrics/slis") {
    serving::RespondBytes(request, 200, kMetricsContentType,
                          SharedBytes(context_.health_metrics.Text()));
    return true;
  }
  if (zpages_.Answer(request)) return true;
  if (path == "/version" || path == "/version/") {
    if (RefusesWrite(request)) return true;
    RespondDocument(request, VersionDocument({.kubernetes_version = kKubernetesVersion,
                                              .skiff_version = kVersion}));
    return true;
  }
  if (path == "/" || path == "/index.html") {
    std::vector<std::string> paths = Paths();
    std::ranges::move(zpages_.Paths(), std::back_inserter(paths));
    RespondDocument(request, IndexDocument(*context_.custom.Served(),
                                           *context_.registrations.versions(), paths));
    return true;
  }
  if (context_.options.enable_logs_handler && log_files_.Answer(request)) return true;
  return AnswerOpenId(request);
}

bool NonResourcePaths::AnswerOpenId(serving::ApiRequest& request) const {
  if (!context_.openid) return false;
  const std::string& path = request.info.path;
  const bool keys = path == OpenIdMetadata::kKeysPath;
  if (!keys && path != OpenIdMetadata::kConfigurationPath) return false;
  if (RefusesWrite(request)) return true;
  constexpr std::string_view kOffers[] = {OpenIdMetadata::kKeysContentType};
  if (keys && !serving::Negotiate(request.http.headers.Get("accept"), kOffers,
                                  [](const serving::Conversion*) { return true; })) {
    Status refused(StatusReason::kNotAcceptable,
                   "406: Not Acceptable\n\nAvailable representations: " +
                       std::string(OpenIdMetadata::kKeysContentType));
    serving::RespondError(request, refused.SetSubject({}));
    return true;
  }
  net::HttpHeaders extra;
  extra.Add("cache-control", OpenIdMetadata::kCacheControl);
  serving::RespondBytes(request, 200, keys ? OpenIdMetadata::kKeysContentType : "application/json",
                        SharedBytes(keys ? context_.openid->keys : context_.openid->configuration),
                        std::move(extra));
  return true;
}

std::vector<std::string> NonResourcePaths::Paths() const {
  std::vector<std::string> out = {"/healthz",    "/livez",  "/metrics",    "/metrics/slis",
                                  "/openapi/v2", "/readyz", "/openapi/v3", "/version"};
  for (std::string& path : context_.health.Paths()) out.push_back(std::move(path));
  if (context_.options.enable_logs_handler) out.emplace_back("/logs");
  if (context_.openid) {
    out.emplace_back(OpenIdMetadata::kKeysPath);
    out.emplace_back(OpenIdMetadata::kConfigurationPath);
  }
  return out;
}

bool NonResourcePaths::AnswerDocument(serving::ApiRequest& request) const {
  if (request.info.is_resource) return false;
  const serving::DocumentRequest wanted{.path = request.info.path,
                                        .query = request.http.query,
                                        .accept = request.http.headers.Get("accept"),
                                        .if_none_match = request.http.headers.Get("if-none-match"),
                                        .user_agent = request.http.headers.Get("user-agent")};
  if (auto document = openapi_.Answer(wanted); document) {
    if (RefusesWrite(request)) return true;
    RespondDocument(request, std::move(*document));
    return true;
  }
  if (wanted.path.starts_with("/openapi/v3/")) {
    // Nobody serves that version, which Kubernetes tells by the code alone.
    serving::DocumentResponse nothing;
    nothing.code = 404;
    if (!RefusesWrite(request)) RespondDocument(request, std::move(nothing));
    return true;
  }
  Result<std::optional<serving::DocumentResponse>> answer = discovery()->Answer(wanted);
  if (!answer) {
    serving::RespondError(request, answer.error());
    return true;
  }
  if (!*answer) return AnswerUnknownVersion(request);
  if (!RefusesWrite(request)) RespondDocument(request, std::move(**answer));
  return true;
}

std::shared_ptr<const Discovery> NonResourcePaths::discovery() const {
  const std::lock_guard lock(discovery_mutex_);
  const uint64_t now = context_.custom.revision();
  const uint64_t registered = context_.registrations.revision();
  if (now != discovery_revision_ || registered != registered_revision_) {
    discovery_ = std::make_shared<const Discovery>(context_.custom.Served(),
                                                   ExternalAddress(context_.options),
                                                   context_.registrations.versions());
    discovery_revision_ = now;
    registered_revision_ = registered;
  }
  return discovery_;
}

// /apis/apps/v99: the group is there, but not the version.
bool NonResourcePaths::AnswerUnknownVersion(serving::ApiRequest& request) const {
  std::string_view path = request.info.path;
  std::string_view group;
  if (path.starts_with("/apis/")) {
    group = path.substr(6, path.find('/', 6) - 6);
  } else if (!path.starts_with("/api/")) {
    return false;
  }
  if (!context_.router.ServesGroup(group)) return false;
  serving::RespondError(request, UnknownResource());
  return true;
}

}  // namespace skiff::apiserver
