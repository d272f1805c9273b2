#include "store/etcd_server/http_pages.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "object/json/json_text.h"

namespace skiff::store {
namespace {

net::HttpResponse Respond(int code, std::string_view type, std::string_view body) {
  net::HttpResponse response;
  response.code = code;
  response.headers.Add("content-type", std::string(type));
  response.body = SharedBytes(body);
  return response;
}

net::HttpResponse NotAllowed() {
  net::HttpResponse response = net::PlainTextResponse(405, "Method Not Allowed\n");
  response.headers.Add("allow", "GET");
  return response;
}

// Whether the query has name=value among its parts. None of the values needs escapes.
bool HasParameter(std::string_view query, std::string_view name, std::string_view value) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    const size_t equals = std::min(part.find('='), part.size());
    if (part.substr(0, equals) == name && part.substr(std::min(equals + 1, part.size())) == value)
      return true;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return false;
}

constexpr std::array<std::string_view, 4> kReadyChecks = {"data_corruption", "linearizable_read",
                                                          "non_learner", "serializable_read"};
constexpr std::array<std::string_view, 1> kLiveChecks = {"serializable_read"};

}  // namespace

void HttpPages::Handle(net::HttpRequest request, net::Responder responder) {
  std::move(responder).Respond(Answer(request));
}

net::HttpResponse HttpPages::Answer(const net::HttpRequest& request) {
  const std::string_view path = request.path;
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (path == "/version") {
    if (!is_read) return NotAllowed();
    return Respond(200, "application/json",
                   "{\"etcdserver\":\"" + std::string(kEtcdServerVersion) +
                       "\",\"etcdcluster\":\"" + std::string(kEtcdClusterVersion) +
                       "\",\"storage\":\"" + std::string(kEtcdClusterVersion) + "\"}");
  }
  if (path == "/health") return is_read ? Health(request) : NotAllowed();
  if (path == "/metrics") {
    return is_read ? Respond(200, kMetricsContentType, core_.metrics().Text()) : NotAllowed();
  }
  if (path == "/livez" || path.starts_with("/livez/")) return Checks(request, false);
  if (path == "/readyz" || path.starts_with("/readyz/")) return Checks(request, true);
  return net::PlainTextResponse(404, "404 page not found\n");
}

net::HttpResponse HttpPages::Health(const net::HttpRequest& request) {
  std::string reason;
  for (const AlarmSet::Alarm& alarm : core_.alarms().List()) {
    const std::string_view name = AlarmName(alarm.type);
    if (!HasParameter(request.query, "exclude", name)) reason = "ALARM " + std::string(name);
  }
  const StoreHealth health = core_.store().Health();
  if (reason.empty() && !health.readable) reason = "RANGE ERROR:" + health.reason;
  // A store that cannot be written is as an etcd that has lost its majority.
  if (reason.empty() && !health.writable && !HasParameter(request.query, "serializable", "true"))
    reason = "RAFT NO LEADER";
  return Respond(reason.empty() ? 200 : 503, "application/json",
                 "{\"health\":\"" + std::string(reason.empty() ? "true" : "false") +
                     "\",\"reason\":" + object::JsonText(reason) + "}");
}

net::HttpResponse HttpPages::Checks(const net::HttpRequest& request, bool ready) {
  if (request.method != "GET" && request.method != "HEAD") return NotAllowed();
  const std::string_view root = ready ? "/readyz" : "/livez";
  const std::string_view only = std::string_view(request.path).substr(root.size());
  const std::span<const std::string_view> checks =
      ready ? std::span<const std::string_view>(kReadyChecks) : kLiveChecks;
  const StoreHealth health = core_.store().Health();
  const bool is_corrupt = core_.alarms().Has(etcdserverpb::CORRUPT);
  std::string text;
  bool good = true;
  bool found = only.empty();
  for (const std::string_view check : checks) {
    if (!only.empty() && only.substr(1) != check) continue;
    found = true;
    if (HasParameter(request.query, "exclude", check)) continue;
    std::string why;
    if (check == "data_corruption" && is_corrupt) why = "alarm activated: CORRUPT";
    if (check.ends_with("_read") && !health.readable) why = health.reason;
    if (check == "linearizable_read" && !health.writable) why = health.reason;
    good = good && why.empty();
    text += (why.empty() ? "[+]" : "[-]") + std::string(check) +
            (why.empty() ? " ok\n" : " failed: " + why + "\n");
  }
  if (!found) return net::PlainTextResponse(404, "404 page not found\n");
  if (!good) return net::PlainTextResponse(503, text);
  const bool verbose =
      request.query == "verbose" || request.query.find("verbose=") != std::string::npos;
  return net::PlainTextResponse(200, verbose ? text + "ok\n" : "ok\n");
}

}  // namespace skiff::store
