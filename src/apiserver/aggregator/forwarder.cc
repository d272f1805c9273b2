#include "apiserver/aggregator/forwarder.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/aggregation_limits.h"
#include "base/hex.h"
#include "serving/request/forwarded_headers.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kUnavailable = "service unavailable";

bool IsKeptInPaths(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("-_.~$&+,/:;=@").find(c) != std::string_view::npos;
}

// Whether it asks what a version serves.
bool IsDiscovery(const serving::RequestInfo& info) {
  if (info.is_resource) return false;
  std::string_view path = info.path;
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::ranges::count(path, '/') == 2;
}

std::optional<uint64_t> LengthOf(const net::HttpHeaders& headers) {
  const std::string* text = headers.Find("content-length");
  if (text == nullptr) return std::nullopt;
  uint64_t length = 0;
  const char* const end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, length);
  if (error != std::errc() || at != end) return std::nullopt;
  return length;
}

std::string HostOf(const CalledAddress& at) {
  const bool is_v6 = at.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + at.host + "]" : at.host) + ":" + std::to_string(at.port);
}

net::ClientRequest Outgoing(serving::ApiRequest& request, net::HttpHeaders headers,
                            std::string path) {
  net::ClientRequest out;
  out.method = request.http.method;
  out.path = std::move(path);
  out.headers = std::move(headers);
  // What takes long has no end, and all else is given up when its client has been answered.
  out.timeout =
      IsDiscovery(request.info) ? Duration(limits::kForwardedDiscoveryTimeout) : Clock::kForever;
  out.asks_upgrade = request.http.version != 20 && serving::AsksUpgrade(request.http.headers);
  if (request.awaits_body) {
    out.body_length = LengthOf(request.http.headers);
  } else if (!out.asks_upgrade) {
    out.body = SharedBytes(std::exchange(request.http.body, {}));
  }
  return out;
}

}  // namespace

std::string ApiServiceNameOf(std::string_view path) {
  constexpr std::string_view kPrefix = "/apis/";
  constexpr std::string_view kDocuments = "/openapi/v3";
  const bool is_document = path.starts_with(kDocuments);
  if (is_document) path.remove_prefix(kDocuments.size());
  if (!path.starts_with(kPrefix)) return {};
  path.remove_prefix(kPrefix.size());
  const size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash == 0) return {};
  const std::string_view group = path.substr(0, slash);
  path.remove_prefix(slash + 1);
  const std::string_view version = path.substr(0, path.find('/'));
  if (version.empty() || (is_document && version.size() != path.size())) return {};
  return std::string(version) + "." + std::string(group);
}

std::string EscapePath(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (IsKeptInPaths(c)) {
      out += c;
    } else {
      (out += '%') += HexByte(c, HexCase::kUpper);
    }
  }
  return out;
}

Forwarder::Forwarder(const BackendSet& backends, BackendCaller& caller,
                     const RemoteDocuments& documents, ForwarderOptions options)
    : backends_(backends), caller_(caller), documents_(documents), options_(std::move(options)) {}

bool Forwarder::Answer(serving::ApiRequestPtr& request) {
  if (backends_.empty()) return false;
  const RemoteBackendPtr backend = backends_.FindRemote(ApiServiceNameOf(request->info.path));
  if (backend == nullptr) return false;
  constexpr std::string_view kDocuments = "/openapi/v3/";
  if (std::string_view path = request->info.path; path.starts_with(kDocuments)) {
    path.remove_prefix(kDocuments.size());
    if (!documents_.Find(path).name.empty()) return false;
  }
  if (!backend->available()) {
    const std::string& reason = backend->condition().reason;
    RespondPlainError(*request, 503,
                      std::string(kUnavailable) + (reason.empty() ? "" : ": " + reason));
    return true;
  }
  if (under_way_.load(std::memory_order_relaxed) >= limits::kMaxForwardedRequests) {
    net::HttpHeaders extra;
    extra.Add("retry-after", "1");
    extra.Add("x-content-type-options", "nosniff");
    serving::RespondBytes(*request, 429, "text/plain; charset=utf-8",
                          SharedBytes("Too many requests, please try again later.\n"),
                          std::move(extra));
    return true;
  }
  if (request->awaits_body && serving::AsksUpgrade(request->http.headers)) {
    RespondPlainError(*request, 400, "a request for another protocol has no body");
    return true;
  }
  Result<CalledAddress> at = caller_.Resolve(backend->spec().service);
  if (!at) {
    RespondPlainError(*request, 503, kUnavailable);
    return true;
  }
  std::string host = HostOf(*at);
  std::string path = EscapePath(request->info.path);
  Result<net::HttpHeaders> headers = serving::ForwardedRequestHeaders(
      request->http.headers, {.user = request->user,
                              .audit_id = request->audit_id,
                              .remote_address = request->http.remote_address,
                              .host = host,
                              .path = path,
                              .identity_headers = options_.identity_headers,
                              .identity_prefixes = options_.identity_prefixes});
  if (!headers) {
    RespondPlainError(*request, 500, headers.error().message());
    return true;
  }
  if (const std::string query = request->query.Encode(); !query.empty()) path += "?" + query;
  net::ClientRequest out = Outgoing(*request, std::move(*headers), std::move(path));
  auto call = std::make_shared<ForwardedCall>(
      caller_, ForwardedRequest{.request = std::move(request),
                                .backend = backend,
                                .at = std::move(*at),
                                .host = std::move(host),
                                .out = std::move(out),
                                .reject_redirects = options_.reject_redirects});
  call->TakeBody();
  under_way_.fetch_add(1, std::memory_order_relaxed);
  if (!caller_.Post([this, call] { Begin(call); })) {
    under_way_.fetch_sub(1, std::memory_order_relaxed);
    call->Refuse(kUnavailable);
  }
  return true;
}

void Forwarder::Begin(std::shared_ptr<ForwardedCall> call) {
  const uint64_t id = ++last_;
  calls_.emplace(id, call);
  call->Begin([this, id] {
    if (calls_.erase(id) != 0) under_way_.fetch_sub(1, std::memory_order_relaxed);
  });
  if (!std::exchange(looks_, true)) LookForClients();
}

void Forwarder::LookForClients() {
  std::vector<std::shared_ptr<ForwardedCall>> calls;
  for (const auto& [id, call] : calls_) {
    if (call->awaits_answer()) calls.push_back(call);
  }
  for (const auto& call : calls) call->LookForClient();
  looks_ = !calls_.empty();
  if (!looks_) return;
  caller_.executor().After(limits::kForwardedGoneInterval, [this] { LookForClients(); });
}

void Forwarder::EndAll() {
  if (under_way() == 0) return;
  caller_.Post([this] {
    std::vector<std::shared_ptr<ForwardedCall>> calls;
    for (const auto& [id, call] : calls_) {
      if (call->is_long()) calls.push_back(call);
    }
    for (const auto& call : calls) call->Break();
  });
}

}  // namespace skiff::apiserver
