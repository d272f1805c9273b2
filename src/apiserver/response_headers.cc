#include "apiserver/response_headers.h"

#include <algorithm>
#include <string_view>

#include <re2/re2.h>

#include "base/limits.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {

struct ResponseHeaders::Patterns {
  std::vector<std::unique_ptr<re2::RE2>> all;

  // A part of the origin is enough, as in Kubernetes: patterns have to say where they begin.
  bool Allow(std::string_view origin) const {
    if (origin.empty() || origin.size() > limits::kMaxOriginBytes) return false;
    return std::ranges::any_of(all, [&](const auto& each) {
      return re2::RE2::PartialMatch(re2::StringPiece(origin.data(), origin.size()), *each);
    });
  }
};

ResponseHeaders::ResponseHeaders(Random& random)
    : random_(random), origins_(std::make_unique<Patterns>()) {}
ResponseHeaders::~ResponseHeaders() = default;

Result<std::unique_ptr<ResponseHeaders>> ResponseHeaders::Make(const ResponseHeaderOptions& options,
                                                               Random& random) {
  std::unique_ptr<ResponseHeaders> out(new ResponseHeaders(random));
  for (const std::string& pattern : options.allowed_origins) {
    re2::RE2::Options quiet(re2::RE2::Quiet);
    auto made = std::make_unique<re2::RE2>(pattern, quiet);
    if (!made->ok()) {
      return BadRequest("--cors-allowed-origins: \"" + pattern + "\": " + made->error());
    }
    out->origins_->all.push_back(std::move(made));
  }
  for (const std::string& directive : options.transport_security) {
    if (!out->transport_security_.empty()) out->transport_security_ += "; ";
    out->transport_security_ += directive;
  }
  out->goaway_chance_ = options.goaway_chance;
  return out;
}

void ResponseHeaders::Add(serving::ApiRequest& request) const {
  if (!transport_security_.empty()) {
    request.answer_headers.Add("strict-transport-security", transport_security_);
  }
  if (goaway_chance_ <= 0 || request.http.version != 20) return;
  if (random_.UniformDouble() < goaway_chance_) {
    request.answer_headers.Add("connection", "close");
  }
}

bool ResponseHeaders::AnswerOrigin(serving::ApiRequest& request) const {
  if (origins_->all.empty()) return false;
  const std::string origin(request.http.headers.Get("origin"));
  if (!origins_->Allow(origin)) return false;
  net::HttpHeaders& headers = request.answer_headers;
  headers.Add("access-control-allow-origin", origin);
  headers.Add("access-control-allow-methods", "POST, GET, OPTIONS, PUT, DELETE, PATCH");
  headers.Add("access-control-allow-headers",
              "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, "
              "X-Requested-With, If-Modified-Since");
  headers.Add("access-control-expose-headers", "Date");
  headers.Add("access-control-allow-credentials", "true");
  if (request.http.method != "OPTIONS") return false;
  serving::RespondBytes(request, 204, "", SharedBytes(""));
  return true;
}

}  // namespace skiff::apiserver
