// Who makes a request: all ways to find out, in their order, and anonymous behind them.
//
// The first that knows the user decides. One that refuses does not end the search, but when nobody
// knows the user the request is refused, so that a wrong token never makes somebody anonymous.
// Whoever is authenticated is in system:authenticated.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serving/auth/authenticator.h"

namespace skiff::serving {

struct AnonymousOptions {
  bool enabled = true;
  // Where anonymous requests are let in; empty: everywhere.
  std::vector<std::string> paths = {};
};

class RequestAuthenticator final : public Authenticator {
 public:
  // Kubernetes' order: front proxy, client certificate, bearer token, WebSocket protocol.
  RequestAuthenticator(std::vector<std::unique_ptr<Authenticator>> methods,
                       AnonymousOptions anonymous);
  // kNoCredentials only where anonymous requests are not let in.
  void Authenticate(const net::HttpRequest& request, AuthenticationCallback done) override;

 private:
  struct Attempt;
  void TryNext(std::shared_ptr<Attempt> attempt);
  Authentication WithoutUser(const Attempt& attempt) const;

  const std::vector<std::unique_ptr<Authenticator>> methods_;
  const AnonymousOptions anonymous_;
};

// Several kinds of tokens, tried in order in the same way.
class TokenUnion final : public TokenAuthenticator {
 public:
  explicit TokenUnion(std::vector<std::unique_ptr<TokenAuthenticator>> kinds)
      : kinds_(std::move(kinds)) {}
  void AuthenticateToken(std::string_view token, WantedAudiences audiences,
                         AuthenticationCallback done) override;

 private:
  struct Attempt;
  void TryNext(std::shared_ptr<Attempt> attempt);

  const std::vector<std::unique_ptr<TokenAuthenticator>> kinds_;
};

// Adds system:authenticated to who is in neither of the two groups of that kind.
void AddAuthenticatedGroup(UserInfo& user);

// Several errors as one, each once: "a" or "[a, b]".
std::string JoinErrors(const std::vector<std::string>& errors);

}  // namespace skiff::serving
