#include "store/etcd/options.h"

#include <charconv>

#include <arpa/inet.h>

#include "base/limits.h"

namespace skiff::store {
namespace {

constexpr uint16_t kDefaultPort = 2379;

bool IsNumeric(int family, const std::string& host) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(family, host.c_str(), address) == 1;
}

std::unexpected<Status> BadEndpoint(std::string_view url, std::string_view why) {
  // A user name in the URL may come with a password, which no message may repeat.
  const std::string shown = url.find('@') == url.npos ? std::string(url) : "(not shown)";
  return BadRequest("etcd endpoint \"" + shown + "\": " + std::string(why) +
                    "; expected http://host:port or https://host:port");
}

Result<uint16_t> ParsePort(std::string_view url, std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > 65535)
    return BadEndpoint(url, "the port is not a number from 1 to 65535");
  return static_cast<uint16_t>(value);
}

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

}  // namespace

std::string EtcdEndpoint::Authority() const {
  const bool is_v6 = host.find(':') != host.npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<EtcdEndpoint> ParseEtcdEndpoint(std::string_view url) {
  EtcdEndpoint out;
  out.url = url;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    out.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return BadEndpoint(url, "the scheme is missing or unknown");
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@") != rest.npos)
    return BadEndpoint(url, "a path, query or user has no meaning here");

  std::string_view port;
  bool has_port = false;
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == rest.npos) return BadEndpoint(url, "the bracket is not closed");
    out.host = rest.substr(1, close - 1);
    if (!IsNumeric(AF_INET6, out.host)) return BadEndpoint(url, "not an IPv6 address");
    rest.remove_prefix(close + 1);
    has_port = !rest.empty();
    if (has_port && rest[0] != ':') return BadEndpoint(url, "text follows the bracket");
    if (has_port) port = rest.substr(1);
  } else {
    const size_t colon = rest.find(':');
    has_port = colon != rest.npos;
    if (has_port) port = rest.substr(colon + 1);
    out.host = rest.substr(0, colon);
    if (out.host.empty()) return BadEndpoint(url, "the host is missing");
    for (const char c : out.host) {
      if (!IsHostCharacter(c)) return BadEndpoint(url, "the host has a character that none may");
    }
  }
  out.port = kDefaultPort;
  if (has_port) {
    SKIFF_ASSIGN_OR_RETURN(out.port, ParsePort(url, port));
  }
  return out;
}

Result<std::vector<EtcdEndpoint>> CheckEtcdOptions(const EtcdOptions& options) {
  if (options.endpoints.empty())
    return BadRequest("--etcd-servers names no endpoint; give 1 to 5 URLs of one etcd cluster");
  if (options.endpoints.size() > limits::kMaxEtcdEndpoints)
    return BadRequest("--etcd-servers names " + std::to_string(options.endpoints.size()) +
                      " endpoints; at most " + std::to_string(limits::kMaxEtcdEndpoints) +
                      " are allowed");
  if (options.cert_file.empty() != options.key_file.empty())
    return BadRequest("--etcd-certfile and --etcd-keyfile go together: give both or neither");
  if (options.clock == nullptr || options.random == nullptr)
    return Fail(StatusReason::kInternalError, "the etcd store was given no clock or no randomness");
  std::vector<EtcdEndpoint> out;
  for (const std::string& url : options.endpoints) {
    SKIFF_ASSIGN_OR_RETURN(EtcdEndpoint endpoint, ParseEtcdEndpoint(url));
    for (const EtcdEndpoint& other : out) {
      if (other.host == endpoint.host && other.port == endpoint.port)
        return BadRequest("--etcd-servers names " + url + " twice");
    }
    out.push_back(std::move(endpoint));
  }
  return out;
}

}  // namespace skiff::store
