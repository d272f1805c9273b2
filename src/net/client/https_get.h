// One HTTPS request that is waited for: how commands, and servers beside requests, ask a local
// server how it is.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/ip_address.h"
#include "base/status.h"

namespace skiff::net {

struct HttpsTarget {
  IpAddress address;
  uint16_t port = 0;
  std::string ca_file;    // empty: any certificate will do
  std::string cert_file;  // of the client; both or neither
  std::string key_file;
};

struct HttpsResponse {
  int code = 0;
  std::string body;  // up to limits::kMaxProbeResponseBytes of it
};

// GET `path`. With a CA, the server must show a certificate of it that is for its address.
// `timeout` bounds each step, of which there are few.
Result<HttpsResponse> HttpsGet(const HttpsTarget& target, const std::string& path,
                               Duration timeout);

}  // namespace skiff::net
