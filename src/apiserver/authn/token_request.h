// Tokens on request: the subresource serviceaccounts/token, from a TokenRequest to a TokenRequest.
//
// A token lasts for spec.expirationSeconds, from ten minutes to 2^32 seconds, and ends with the
// pod, secret or node that it is bound to. Pods ask for 3607 seconds by default; for the sake of
// programs that never read their token again, such a token lasts for a year and says when it should
// have been renewed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/authn/bound_object.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/object_errors.h"
#include "object/value.h"
#include "serving/auth/jwt_key.h"
#include "serving/auth/service_account_claims.h"

namespace skiff::apiserver {

struct TokenIssuerOptions {
  std::string issuer;                      // the first --service-account-issuer
  std::vector<std::string> api_audiences;  // what a token without audiences is meant for
  int64_t max_expiration_seconds = 0;      // --service-account-max-token-expiration; 0: none
  bool extend_expiration = true;           // --service-account-extend-token-expiration
};

struct IssuedToken {
  object::Document reply;
  std::vector<std::string> warnings = {};
  std::vector<std::pair<std::string, std::string>> audit_annotations = {};
};

// Any thread. Everything that is given by reference outlives it; it outlives the calls under way.
class TokenIssuer {
 public:
  // `random` must be fit for secrets and thread-safe.
  TokenIssuer(TokenIssuerOptions options, serving::JwtKey key, BoundObjectLookup& lookup,
              Clock& clock, Random& random);

  using Callback = std::move_only_function<void(Result<IssuedToken>)>;
  // `request` is an authentication.k8s.io/v1 TokenRequest; name and namespace are those of the
  // path.
  void Issue(std::string name_space, std::string name, object::Document request, Callback done);

  // The token for a secret of type kubernetes.io/service-account-token.
  Result<std::string> IssueLegacy(const serving::LegacyClaims& claims) const;

 private:
  struct Issuing;
  void Bind(std::shared_ptr<Issuing> issuing);
  void BindTo(std::shared_ptr<Issuing> issuing, BoundKind kind);
  void FindNode(std::shared_ptr<Issuing> issuing, std::string node);
  void Finish(Issuing& issuing);
  bool IsForThisServer(const std::vector<std::string>& audiences) const;

  const TokenIssuerOptions options_;
  const serving::JwtKey key_;
  BoundObjectLookup& lookup_;
  Clock& clock_;
  Random& random_;
};

}  // namespace skiff::apiserver
