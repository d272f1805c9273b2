#include "serving/auth/request_authenticator.h"

#include <algorithm>

namespace skiff::serving {

using Outcome = Authentication::Outcome;

std::string JoinErrors(const std::vector<std::string>& errors) {
  std::vector<std::string_view> seen;
  std::string joined;
  for (const std::string& error : errors) {
    if (std::find(seen.begin(), seen.end(), error) != seen.end()) continue;
    if (!seen.empty()) joined += ", ";
    seen.push_back(error);
    joined += error;
  }
  return seen.size() > 1 ? "[" + joined + "]" : joined;
}

void AddAuthenticatedGroup(UserInfo& user) {
  if (user.name == kAnonymousUser || user.IsIn(kAuthenticatedGroup) ||
      user.IsIn(kUnauthenticatedGroup)) {
    return;
  }
  user.groups.emplace_back(kAuthenticatedGroup);
}

struct RequestAuthenticator::Attempt {
  const net::HttpRequest& request;
  AuthenticationCallback done;
  size_t next = 0;
  std::vector<std::string> errors = {};
  std::vector<std::string> warnings = {};
};

RequestAuthenticator::RequestAuthenticator(std::vector<std::unique_ptr<Authenticator>> methods,
                                           AnonymousOptions anonymous)
    : methods_(std::move(methods)), anonymous_(std::move(anonymous)) {}

void RequestAuthenticator::Authenticate(const net::HttpRequest& request,
                                        AuthenticationCallback done) {
  TryNext(std::make_shared<Attempt>(Attempt{request, std::move(done)}));
}

void RequestAuthenticator::TryNext(std::shared_ptr<Attempt> attempt) {
  if (attempt->next == methods_.size()) {
    Authentication nobody = WithoutUser(*attempt);
    nobody.warnings = std::move(attempt->warnings);
    attempt->done(std::move(nobody));
    return;
  }
  Authenticator& method = *methods_[attempt->next++];
  method.Authenticate(attempt->request, [this, attempt](Authentication found) {
    auto& warnings = attempt->warnings;
    warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
    if (found.ok()) {
      AddAuthenticatedGroup(found.user);
      found.warnings = std::move(warnings);
      attempt->done(std::move(found));
      return;
    }
    if (found.outcome == Outcome::kRefused) attempt->errors.push_back(std::move(found.error));
    TryNext(attempt);
  });
}

Authentication RequestAuthenticator::WithoutUser(const Attempt& attempt) const {
  if (!attempt.errors.empty()) return Authentication::Refused(JoinErrors(attempt.errors));
  const auto& paths = anonymous_.paths;
  const bool path_matches =
      paths.empty() || std::find(paths.begin(), paths.end(), attempt.request.path) != paths.end();
  if (!anonymous_.enabled || !path_matches) return {};
  return Authentication::Of(
      {.name = kAnonymousUser, .uid = {}, .groups = {kUnauthenticatedGroup}, .extra = {}});
}

struct TokenUnion::Attempt {
  std::string_view token;
  WantedAudiences audiences;
  AuthenticationCallback done;
  size_t next = 0;
  std::vector<std::string> errors = {};
};

void TokenUnion::AuthenticateToken(std::string_view token, WantedAudiences audiences,
                                   AuthenticationCallback done) {
  TryNext(std::make_shared<Attempt>(Attempt{token, audiences, std::move(done)}));
}

void TokenUnion::TryNext(std::shared_ptr<Attempt> attempt) {
  if (attempt->next == kinds_.size()) {
    Authentication nobody;
    if (!attempt->errors.empty()) nobody = Authentication::Refused(JoinErrors(attempt->errors));
    attempt->done(std::move(nobody));
    return;
  }
  TokenAuthenticator& kind = *kinds_[attempt->next++];
  kind.AuthenticateToken(attempt->token, attempt->audiences, [this, attempt](Authentication found) {
    if (found.ok()) {
      attempt->done(std::move(found));
      return;
    }
    if (found.outcome == Outcome::kRefused) attempt->errors.push_back(std::move(found.error));
    TryNext(attempt);
  });
}

}  // namespace skiff::serving
