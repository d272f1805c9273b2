// What browsers and load balancers are told beside an answer: Strict-Transport-Security, whether
// pages of other origins may read it (CORS), and now and then that the connection should end, so
// that long-lived clients spread over all servers.
//
// Any thread. Immutable but for randomness.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

struct ResponseHeaderOptions {
  std::vector<std::string> allowed_origins;     // --cors-allowed-origins: regular expressions
  std::vector<std::string> transport_security;  // --strict-transport-security-directives
  double goaway_chance = 0;                     // --goaway-chance, of HTTP/2 requests
};

class ResponseHeaders {
 public:
  // kBadRequest for an origin that is no regular expression. The randomness outlives it.
  static Result<std::unique_ptr<ResponseHeaders>> Make(const ResponseHeaderOptions& options,
                                                       Random& random);
  ~ResponseHeaders();

  // To the headers of the answer.
  void Add(serving::ApiRequest& request) const;
  // Adds those for a page of an allowed origin. True: the request only asked whether it is allowed,
  // and is answered.
  bool AnswerOrigin(serving::ApiRequest& request) const;

 private:
  struct Patterns;
  explicit ResponseHeaders(Random& random);

  Random& random_;
  std::string transport_security_;
  double goaway_chance_ = 0;
  std::unique_ptr<Patterns> origins_;
};

}  // namespace skiff::apiserver
