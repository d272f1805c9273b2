#include "net/client/endpoint.h"

#include <netdb.h>

#include <charconv>
#include <memory>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::net {
namespace {

constexpr std::string_view kTlsScheme = "https://";
constexpr std::string_view kPlainScheme = "http://";
constexpr uint16_t kPlainPort = 80;

std::unexpected<Status> Fault(std::string_view url, std::string_view why) {
  return BadRequest("server " + Quoted(url) + ": " + std::string(why));
}

bool ParsePort(std::string_view text, uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

}  // namespace

Result<ClientEndpoint> ParseEndpoint(std::string_view url) {
  ClientEndpoint endpoint;
  endpoint.tls = url.starts_with(kTlsScheme);
  if (!endpoint.tls && !url.starts_with(kPlainScheme))
    return Fault(url, "its URL must begin with https:// or http://");
  if (!endpoint.tls) endpoint.port = kPlainPort;
  std::string_view rest = url.substr((endpoint.tls ? kTlsScheme : kPlainScheme).size());
  if (rest.find_first_of("?#@ \t\r\n") != std::string_view::npos)
    return Fault(url, "a URL of a server has neither user nor query");
  const size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    endpoint.base_path = rest.substr(slash);
    while (endpoint.base_path.ends_with('/')) endpoint.base_path.pop_back();
    rest = rest.substr(0, slash);
  }
  endpoint.authority = rest;
  const bool bracketed = rest.starts_with('[');
  const size_t host_end = bracketed ? rest.find(']') : rest.find(':');
  if (bracketed && host_end == std::string_view::npos) return Fault(url, "']' is missing");
  endpoint.host = rest.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0));
  std::string_view port;
  if (host_end != std::string_view::npos) port = rest.substr(host_end + (bracketed ? 1 : 0));
  if (!port.empty() && (port[0] != ':' || !ParsePort(port.substr(1), endpoint.port)))
    return Fault(url, "its port is not a number from 1 to 65535");
  if (endpoint.host.empty()) return Fault(url, "it names no host");
  if (const Result<IpAddress> address = IpAddress::Parse(endpoint.host)) {
    endpoint.addresses.push_back(*address);
  } else if (bracketed) {
    return Fault(url, "there is no IPv6 address between the brackets");
  }
  return endpoint;
}

ClientEndpoint UnixEndpoint(std::string path) {
  ClientEndpoint endpoint;
  endpoint.tls = false;
  endpoint.host = endpoint.authority = "localhost";
  endpoint.unix_path = std::move(path);
  return endpoint;
}

Result<ClientEndpoint> ResolveEndpoint(std::string_view url) {
  SKIFF_ASSIGN_OR_RETURN(ClientEndpoint endpoint, ParseEndpoint(url));
  if (!endpoint.addresses.empty()) return endpoint;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(endpoint.host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return Fail(StatusReason::kServiceUnavailable,
                "the host " + Quoted(endpoint.host) + " is not found: " + gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (; found != nullptr; found = found->ai_next) {
    if (endpoint.addresses.size() == limits::kMaxClientAddresses) break;
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(found->ai_addr);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(found->ai_addr);
    if (found->ai_family == AF_INET) {
      endpoint.addresses.push_back(
          IpAddress::FromBytes(reinterpret_cast<const uint8_t*>(&v4->sin_addr), 4));
    } else if (found->ai_family == AF_INET6) {
      endpoint.addresses.push_back(
          IpAddress::FromBytes(reinterpret_cast<const uint8_t*>(&v6->sin6_addr), 16));
    }
  }
  if (endpoint.addresses.empty())
    return Fail(StatusReason::kServiceUnavailable,
                "the host " + Quoted(endpoint.host) + " has no address");
  return endpoint;
}

}  // namespace skiff::net
