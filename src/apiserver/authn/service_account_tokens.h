// Tokens of service accounts: who they belong to.
//
// A token is good if a key of ours has signed it, it comes from one of our issuers, is meant for
// one of the audiences, has neither expired nor begins later (with a minute of leeway), and what it
// is bound to still exists: the same service account, pod, secret or node, and not deleted more
// than a minute ago. Errors tell which of these is not so, and nothing of the token itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/authn/bound_object.h"
#include "base/clock.h"
#include "serving/auth/authenticator.h"
#include "serving/auth/jwt.h"
#include "serving/auth/jwt_key.h"
#include "serving/auth/service_account_claims.h"

namespace skiff::apiserver {

// A token from a secret has been used, on a day that the secret's label
// kubernetes.io/legacy-token-last-used does not name yet.
struct LegacyTokenUse {
  std::string name_space;
  std::string secret;
  std::string secret_uid;
  std::string date;  // "2026-03-14"
};

struct ServiceAccountTokenOptions {
  std::vector<std::string> issuers;        // --service-account-issuer
  std::vector<serving::JwtKey> keys;       // --service-account-key-file
  std::vector<std::string> api_audiences;  // --api-audiences; by default the first issuer
  bool lookup = true;                      // --service-account-lookup: of tokens in secrets
  // Called on whichever thread finds out; may be empty.
  std::function<void(LegacyTokenUse)> on_legacy_use = {};
};

// Any thread. The lookup and the clock outlive it; it outlives the calls that are under way.
class ServiceAccountTokens final : public serving::TokenAuthenticator {
 public:
  ServiceAccountTokens(ServiceAccountTokenOptions options, BoundObjectLookup& lookup, Clock& clock);
  void AuthenticateToken(std::string_view token, serving::WantedAudiences audiences,
                         serving::AuthenticationCallback done) override;

 private:
  struct Verification;
  struct LegacyVerification;

  // The audiences that the token is good for; an error if there are none.
  Result<std::vector<std::string>> CheckAudiences(const serving::Jwt& jwt,
                                                  serving::WantedAudiences audiences) const;
  Result<void> CheckTimes(const serving::ServiceAccountClaims& claims) const;
  void CheckNext(std::shared_ptr<Verification> verification);
  serving::Authentication Accept(const Verification& verification) const;
  void CheckLegacy(const serving::Jwt& jwt, std::string_view token,
                   std::vector<std::string> audiences, serving::AuthenticationCallback done);
  void CheckLegacySecret(std::shared_ptr<LegacyVerification> verification,
                         Result<BoundObject> secret);
  serving::Authentication CheckLegacyAccount(const LegacyVerification& verification,
                                             const Result<BoundObject>& account) const;
  void ReportLegacyUse(const LegacyVerification& verification) const;
  object::Timestamp Now() const;

  const ServiceAccountTokenOptions options_;
  BoundObjectLookup& lookup_;
  Clock& clock_;
};

// Tokens of other kinds are good for this server, and so for its audiences only.
class AudienceAgnosticTokens final : public serving::TokenAuthenticator {
 public:
  AudienceAgnosticTokens(std::unique_ptr<TokenAuthenticator> tokens,
                         std::vector<std::string> api_audiences)
      : tokens_(std::move(tokens)), api_audiences_(std::move(api_audiences)) {}
  void AuthenticateToken(std::string_view token, serving::WantedAudiences audiences,
                         serving::AuthenticationCallback done) override;

 private:
  const std::unique_ptr<TokenAuthenticator> tokens_;
  const std::vector<std::string> api_audiences_;
};

// Those of `wanted` that are in `offered`.
std::vector<std::string> SharedAudiences(const std::vector<std::string>& offered,
                                         const std::vector<std::string>& wanted);

}  // namespace skiff::apiserver
