#include "serving/request/forwarded_headers.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "base/strings.h"
#include "net/http1_parser.h"
#include "serving/auth/bearer_token.h"

namespace skiff::serving {
namespace {

constexpr std::string_view kHopByHop[] = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    "te",         "trailer",    "transfer-encoding",  "upgrade"};

// Of requests besides: who asks, as whom, with what right; and what is said anew.
constexpr std::string_view kNotOfClients[] = {
    "audit-id",     "authorization",    "content-length",    "expect",
    "host",         "x-forwarded-host", "x-forwarded-proto", "x-forwarded-uri",
    "x-remote-uid", "x-remote-user",    "x-remote-group",    "http2-settings"};
constexpr std::string_view kNotOfClientsPrefixes[] = {"impersonate-", "x-remote-extra-"};

constexpr std::string_view kNotOfServers[] = {"access-control-allow-credentials",
                                              "access-control-allow-headers",
                                              "access-control-allow-methods",
                                              "access-control-allow-origin",
                                              "audit-id",
                                              "content-length",
                                              "date",
                                              "x-kubernetes-pf-flowschema-uid",
                                              "x-kubernetes-pf-prioritylevel-uid"};

constexpr std::string_view kForwardedFor = "x-forwarded-for";
constexpr std::string_view kWebSocketProtocols = "sec-websocket-protocol";
constexpr std::string_view kExtraPrefix = "x-remote-extra-";

bool IsOneOf(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// What the Connection fields list, in lower case.
std::set<std::string, std::less<>> ListedByConnection(const net::HttpHeaders& headers) {
  std::set<std::string, std::less<>> out;
  for (const net::HttpHeaders::Field& field : headers.fields()) {
    if (field.name != "connection") continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      out.insert(AsciiLower(TrimSpace(rest.substr(0, comma))));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return out;
}

bool SaysWhoAsks(std::string_view name, const ForwardingPlan& plan) {
  for (const std::string_view prefix : kNotOfClientsPrefixes)
    if (name.starts_with(prefix)) return true;
  for (const std::string& each : plan.identity_headers)
    if (AsciiLower(each) == name) return true;
  for (const std::string& each : plan.identity_prefixes)
    if (!each.empty() && name.starts_with(AsciiLower(each))) return true;
  return false;
}

// Without the entries that are bearer tokens.
std::string WithoutTokens(std::string_view protocols) {
  std::string out;
  while (!protocols.empty()) {
    const size_t comma = std::min(protocols.find(','), protocols.size());
    const std::string_view each = TrimSpace(protocols.substr(0, comma));
    protocols.remove_prefix(std::min(comma + 1, protocols.size()));
    if (each.empty() || each.starts_with(kWebSocketTokenPrefix)) continue;
    if (!out.empty()) out += ", ";
    out += each;
  }
  return out;
}

bool IsTokenByte(char c) { return net::IsHttpToken(std::string_view(&c, 1)); }

// Without the port.
std::string_view HostOf(std::string_view address) {
  const size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

void AddForwardedFor(const net::HttpHeaders& headers, std::string_view remote_address,
                     net::HttpHeaders& out) {
  std::string told;
  for (const net::HttpHeaders::Field& field : headers.fields()) {
    if (field.name != kForwardedFor) continue;
    if (!told.empty()) told += ", ";
    told += field.value;
  }
  const std::string_view client = HostOf(remote_address);
  if (!client.empty()) {
    if (!told.empty()) told += ", ";
    told += client;
  }
  if (!told.empty()) out.Add(std::string(kForwardedFor), told);
}

Result<void> AddUser(const UserInfo& user, net::HttpHeaders& out) {
  const auto add = [&](std::string name, const std::string& value) -> Result<void> {
    if (!net::IsHttpFieldValue(value)) {
      return Fail(StatusReason::kInternalError,
                  "the user cannot be told to another server: " + name + " has control characters");
    }
    out.Add(std::move(name), value);
    return {};
  };
  SKIFF_RETURN_IF_ERROR(add("x-remote-user", user.name));
  if (!user.uid.empty()) SKIFF_RETURN_IF_ERROR(add("x-remote-uid", user.uid));
  for (const std::string& group : user.groups)
    SKIFF_RETURN_IF_ERROR(add("x-remote-group", group));
  for (const auto& [key, values] : user.extra) {
    for (const std::string& value : values) SKIFF_RETURN_IF_ERROR(add(ExtraHeaderName(key), value));
  }
  return {};
}

// The path of a URL of `host`; anything else as it is.
std::string LocationOf(std::string_view location, std::string_view host) {
  constexpr std::string_view kScheme = "https://";
  if (host.empty() || !location.starts_with(kScheme)) return std::string(location);
  std::string_view rest = location.substr(kScheme.size());
  if (!rest.starts_with(host)) return std::string(location);
  rest.remove_prefix(host.size());
  return rest.starts_with('/') ? std::string(rest) : std::string(location);
}

}  // namespace

std::string ExtraHeaderName(std::string_view key) {
  std::string out(kExtraPrefix);
  for (const char c : key) {
    if (IsTokenByte(c) && c != '%') {
      out += c;
    } else {
      (out += '%') += HexByte(c, HexCase::kUpper);
    }
  }
  return out;
}

bool AsksUpgrade(const net::HttpHeaders& headers) {
  return headers.Find("upgrade") != nullptr && net::HasHttpToken(headers, "connection", "upgrade");
}

Result<net::HttpHeaders> ForwardedRequestHeaders(const net::HttpHeaders& headers,
                                                 const ForwardingPlan& plan) {
  const std::set<std::string, std::less<>> listed = ListedByConnection(headers);
  net::HttpHeaders out;
  for (const net::HttpHeaders::Field& field : headers.fields()) {
    const std::string_view name = field.name;
    if (IsOneOf(kHopByHop, name) || IsOneOf(kNotOfClients, name) || name == kForwardedFor ||
        listed.contains(name) || SaysWhoAsks(name, plan))
      continue;
    if (!net::IsHttpToken(name) || !net::IsHttpFieldValue(field.value)) continue;
    if (name == kWebSocketProtocols) {
      // Browsers cannot set Authorization, and say there who they are.
      std::string kept = WithoutTokens(field.value);
      if (!kept.empty()) out.Add(field.name, std::move(kept));
      continue;
    }
    out.Add(field.name, field.value);
  }
  if (AsksUpgrade(headers)) {
    out.Add("connection", "Upgrade");
    out.Add("upgrade", *headers.Find("upgrade"));
  }
  AddForwardedFor(headers, plan.remote_address, out);
  out.Add("x-forwarded-host", std::string(plan.host));
  out.Add("x-forwarded-proto", "https");
  out.Add("x-forwarded-uri", std::string(plan.path));
  if (!plan.audit_id.empty()) out.Add("audit-id", std::string(plan.audit_id));
  SKIFF_RETURN_IF_ERROR(AddUser(plan.user, out));
  return out;
}

net::HttpHeaders ForwardedAnswerHeaders(const net::HttpHeaders& headers, int code,
                                        std::string_view host) {
  const std::set<std::string, std::less<>> listed = ListedByConnection(headers);
  net::HttpHeaders out;
  for (const net::HttpHeaders::Field& field : headers.fields()) {
    const bool is_switch = code == 101 && field.name == "upgrade";
    if (is_switch) {
      out.Add(field.name, field.value);
      continue;
    }
    if (IsOneOf(kHopByHop, field.name) || IsOneOf(kNotOfServers, field.name) ||
        listed.contains(field.name))
      continue;
    if (!net::IsHttpToken(field.name) || !net::IsHttpFieldValue(field.value)) continue;
    out.Add(field.name,
            field.name == "location" ? LocationOf(field.value, host) : field.value);
  }
  return out;
}

}  // namespace skiff::serving
