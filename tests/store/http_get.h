// Just enough HTTP to ask a server on this machine how it is.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace skiff::testing {

struct HttpGetResponse {
  int code = 0;
  std::string body;
};

// GET http://address:port/path, where the address is numeric. Takes at most `limit`.
Result<HttpGetResponse> HttpGet(Clock& clock, const std::string& address, int port,
                                const std::string& path, Duration limit);

}  // namespace skiff::testing
