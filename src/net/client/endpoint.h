// Where a server is: the parts of its URL and the addresses of its host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "base/status.h"

namespace skiff::net {

struct ClientEndpoint {
  bool tls = true;
  std::string host;       // a name, or an address without brackets
  uint16_t port = 443;    // of the URL; that of its scheme when it has none
  std::string authority;  // as requests name it: "host", "host:6443", "[::1]:6443"
  std::string base_path;  // before every path: "" or "/k8s/clusters/c-1"
  std::vector<IpAddress> addresses;
  std::string unix_path = {};  // of a socket in the file system, instead of all addresses

  // "https://127.0.0.1:6443", for messages.
  std::string ToString() const {
    return unix_path.empty() ? (tls ? "https://" : "http://") + authority : "unix:" + unix_path;
  }
};

// Takes "https://host[:port][/path]" apart, or the same with http://, and nothing else; `addresses`
// stays empty unless the host is an address.
Result<ClientEndpoint> ParseEndpoint(std::string_view url);
// A socket in the file system, without TLS. Requests name it "localhost", as gRPC does.
ClientEndpoint UnixEndpoint(std::string path);
// The same as ParseEndpoint(), with the addresses of the host, in the order in which the system
// prefers them. Waits for the resolver.
Result<ClientEndpoint> ResolveEndpoint(std::string_view url);

}  // namespace skiff::net
