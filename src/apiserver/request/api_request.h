// One request on its way through the server: what came in, what the stages of the pipeline found
// out about it, and the means to answer it.
//
// Owner: the stage or handler that works on it, which passes it on; whoever answers it, ends it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/authn/user.h"
#include "apiserver/request/query.h"
#include "apiserver/request/request_info.h"
#include "base/clock.h"
#include "net/http.h"

namespace skiff {

struct ApiRequest {
  HttpRequest http;
  Responder responder;
  QueryParameters query = {};
  RequestInfo info = {};
  UserInfo user = {};
  std::string audit_id = {};
  Duration started{0};   // Clock::Monotonic()
  Duration deadline{0};  // of the answer; long-running requests have none: zero
  size_t stage = 0;      // of the pipeline that it has reached
  // What the client should know beside the answer: texts of Warning headers.
  std::vector<std::string> warnings = {};
};

using ApiRequestPtr = std::unique_ptr<ApiRequest>;

}  // namespace skiff
