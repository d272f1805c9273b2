#include "apiserver/authn/service_account_tokens.h"

#include <algorithm>

#include "crypto/digest.h"
#include "object/scalar/names.h"

namespace skiff::apiserver {
namespace {

constexpr int64_t kLeewaySeconds = 60;
constexpr int64_t kSecondsPerDay = 24 * 60 * 60;
constexpr char kInvalidated[] = "service account token has been invalidated";
constexpr char kLastUsedLabel[] = "kubernetes.io/legacy-token-last-used";
constexpr char kInvalidSinceLabel[] = "kubernetes.io/legacy-token-invalid-since";

std::unexpected<Status> Refuse(std::string why) {
  return Fail(StatusReason::kUnauthorized, std::move(why));
}

// ["a" "b"]
std::string Listed(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ' ';
    out += "\"" + item + "\"";
  }
  return out + "]";
}

std::string Path(std::string_view name_space, std::string_view name) {
  return std::string(name_space) + "/" + std::string(name);
}

// Whether the user name of the token is that of the service account that it names.
bool NamesAccount(const serving::LegacyClaims& claims) {
  return object::IsDns1123Label(claims.name_space) &&
         object::IsDns1123Subdomain(claims.service_account) &&
         claims.subject ==
             serving::ServiceAccountUserName(claims.name_space, claims.service_account);
}

std::string MissingClaim(const serving::LegacyClaims& claims) {
  if (claims.subject.empty()) return "sub";
  if (claims.name_space.empty()) return "namespace";
  if (claims.secret.empty()) return "secretName";
  if (claims.service_account.empty()) return "serviceAccountName";
  if (claims.service_account_uid.empty()) return "serviceAccountUID";
  return {};
}

std::string DateOf(int64_t seconds) {
  std::string text;
  object::AppendTime({seconds, 0}, text);
  return text.substr(0, 10);
}

}  // namespace

std::vector<std::string> SharedAudiences(const std::vector<std::string>& offered,
                                         const std::vector<std::string>& wanted) {
  std::vector<std::string> shared;
  for (const std::string& each : wanted) {
    if (std::find(offered.begin(), offered.end(), each) != offered.end()) shared.push_back(each);
  }
  return shared;
}

void AudienceAgnosticTokens::AuthenticateToken(std::string_view token,
                                               serving::WantedAudiences audiences,
                                               serving::AuthenticationCallback done) {
  std::vector<std::string> shared =
      audiences == nullptr ? api_audiences_ : SharedAudiences(api_audiences_, *audiences);
  if (shared.empty() && audiences != nullptr) {
    done({});
    return;
  }
  tokens_->AuthenticateToken(
      token, nullptr,
      [shared = std::move(shared), done = std::move(done)](serving::Authentication found) mutable {
        if (found.ok()) found.audiences = std::move(shared);
        done(std::move(found));
      });
}

// The objects that are still to be looked up, and what they must be like.
struct ServiceAccountTokens::Verification {
  struct Check {
    BoundKind kind;
    std::string name_space;
    serving::ClaimedObject object;
  };
  serving::ServiceAccountClaims claims;
  std::vector<std::string> audiences;
  serving::AuthenticationCallback done;
  std::vector<Check> checks = {};
  size_t next = 0;
};

ServiceAccountTokens::ServiceAccountTokens(ServiceAccountTokenOptions options,
                                           BoundObjectLookup& lookup, Clock& clock)
    : options_(std::move(options)), lookup_(lookup), clock_(clock) {}

object::Timestamp ServiceAccountTokens::Now() const {
  const auto now = clock_.Wall();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return {seconds.count(), static_cast<uint32_t>((now - seconds).count())};
}

Result<std::vector<std::string>> ServiceAccountTokens::CheckAudiences(
    const serving::Jwt& jwt, serving::WantedAudiences audiences) const {
  SKIFF_ASSIGN_OR_RETURN(std::vector<std::string> offered, serving::ReadAudiences(jwt.claims()));
  if (offered.empty()) offered = options_.api_audiences;
  const auto& wanted = audiences != nullptr ? *audiences : options_.api_audiences;
  std::vector<std::string> shared = SharedAudiences(offered, wanted);
  if (shared.empty() && !options_.api_audiences.empty()) {
    return Refuse("token audiences " + Listed(offered) + " is invalid for the target audiences " +
                  Listed(wanted));
  }
  return shared;
}

Result<void> ServiceAccountTokens::CheckTimes(const serving::ServiceAccountClaims& claims) const {
  const object::Timestamp now = Now();
  const auto shifted = [&](int64_t by) { return object::Timestamp{now.seconds + by, now.nanos}; };
  if (claims.not_before != 0 && shifted(kLeewaySeconds) < object::Timestamp{claims.not_before, 0}) {
    return Refuse("service account token is not valid yet");
  }
  if (claims.expires != 0 && shifted(-kLeewaySeconds) > object::Timestamp{claims.expires, 0}) {
    return Refuse("service account token has expired");
  }
  if (claims.issued != 0 && shifted(kLeewaySeconds) < object::Timestamp{claims.issued, 0}) {
    return Refuse("service account token is issued in the future");
  }
  return {};
}

void ServiceAccountTokens::AuthenticateToken(std::string_view token,
                                             serving::WantedAudiences audiences,
                                             serving::AuthenticationCallback done) {
  const auto jwt = serving::Jwt::Parse(token);
  const std::string_view issuer = jwt ? jwt->TextClaim("iss") : std::string_view();
  const bool is_ours =
      std::find(options_.issuers.begin(), options_.issuers.end(), issuer) != options_.issuers.end();
  if (!jwt || (!is_ours && issuer != serving::kLegacyIssuer)) {
    done({});
    return;
  }
  const serving::Jwt::Verdict verdict = jwt->Verify(options_.keys);
  if (verdict != serving::Jwt::Verdict::kGood) {
    done(serving::Authentication::Refused(verdict == serving::Jwt::Verdict::kNoKey
                                              ? "invalid signature, no keys found"
                                              : "invalid signature"));
    return;
  }
  auto shared = CheckAudiences(*jwt, audiences);
  if (!shared) {
    done(serving::Authentication::Refused(shared.error().message()));
    return;
  }
  if (!is_ours) {
    CheckLegacy(*jwt, token, std::move(*shared), std::move(done));
    return;
  }
  auto claims = serving::ServiceAccountClaims::Read(jwt->claims());
  const Result<void> in_time = claims ? CheckTimes(*claims) : Refuse(claims.error().message());
  if (!in_time) {
    done(serving::Authentication::Refused(in_time.error().message()));
    return;
  }
  auto verification = std::make_shared<Verification>(
      Verification{std::move(*claims), std::move(*shared), std::move(done)});
  const serving::ServiceAccountClaims& c = verification->claims;
  verification->checks.push_back({BoundKind::kServiceAccount, c.name_space, c.service_account});
  if (c.secret) verification->checks.push_back({BoundKind::kSecret, c.name_space, *c.secret});
  if (c.pod) verification->checks.push_back({BoundKind::kPod, c.name_space, *c.pod});
  // The node of a pod is information; that of a token without a pod is what it is bound to.
  if (c.node && !c.pod) verification->checks.push_back({BoundKind::kNode, "", *c.node});
  CheckNext(std::move(verification));
}

namespace {

// What is wrong with an object that a token is bound to; empty if nothing is.
std::string FaultOf(BoundKind kind, std::string_view name_space,
                    const serving::ClaimedObject& claimed, const Result<BoundObject>& found,
                    object::Timestamp now) {
  const bool is_account = kind == BoundKind::kServiceAccount;
  if (!found) return is_account ? found.error().message() : kInvalidated;
  const object::Timestamp latest{now.seconds - kLeewaySeconds, now.nanos};
  const bool is_deleted = found->deletion && *found->deletion < latest;
  if (found->uid != claimed.uid) {
    std::string_view noun = kind == BoundKind::kSecret ? "secret"
                            : kind == BoundKind::kPod  ? "pod"
                                                       : "node";
    if (is_account) {
      return "service account UID (" + found->uid + ") does not match claim (" + claimed.uid + ")";
    }
    return std::string(noun) + " UID (" + found->uid + ") does not match service account " +
           std::string(noun) + " ref claim (" + claimed.uid + ")";
  }
  if (!is_deleted) return {};
  if (!is_account) return kInvalidated;
  return "service account " + Path(name_space, claimed.name) + " has been deleted";
}

}  // namespace

void ServiceAccountTokens::CheckNext(std::shared_ptr<Verification> verification) {
  if (verification->next == verification->checks.size()) {
    verification->done(Accept(*verification));
    return;
  }
  const Verification::Check& check = verification->checks[verification->next++];
  lookup_.Find(check.kind, check.name_space, check.object.name,
               [this, verification, &check](Result<BoundObject> found) {
                 std::string fault =
                     FaultOf(check.kind, check.name_space, check.object, found, Now());
                 if (!fault.empty()) {
                   verification->done(serving::Authentication::Refused(std::move(fault)));
                   return;
                 }
                 CheckNext(verification);
               });
}

serving::Authentication ServiceAccountTokens::Accept(const Verification& verification) const {
  const serving::ServiceAccountClaims& claims = verification.claims;
  serving::UserInfo user = serving::ServiceAccountUser(
      claims.name_space, claims.service_account.name, claims.service_account.uid);
  // In the order of the keys.
  if (!claims.id.empty()) user.extra.push_back({serving::kCredentialIdKey, {"JTI=" + claims.id}});
  if (claims.node && !claims.node->name.empty()) {
    user.extra.push_back({"authentication.kubernetes.io/node-name", {claims.node->name}});
    if (!claims.node->uid.empty()) {
      user.extra.push_back({"authentication.kubernetes.io/node-uid", {claims.node->uid}});
    }
  }
  if (claims.pod && !claims.pod->name.empty() && !claims.pod->uid.empty()) {
    user.extra.push_back({"authentication.kubernetes.io/pod-name", {claims.pod->name}});
    user.extra.push_back({"authentication.kubernetes.io/pod-uid", {claims.pod->uid}});
  }
  serving::Authentication found = serving::Authentication::Of(std::move(user));
  found.audiences = verification.audiences;
  const int64_t now = Now().seconds;
  if (claims.warn_after != 0 && now > claims.warn_after) {
    found.audit_annotations.push_back(
        {"authentication.k8s.io/stale-token",
         "subject: " + claims.subject +
             ", seconds after warning threshold: " + std::to_string(now - claims.warn_after)});
  }
  return found;
}

struct ServiceAccountTokens::LegacyVerification {
  serving::LegacyClaims claims;
  std::string token;
  std::vector<std::string> audiences;
  serving::AuthenticationCallback done;
  BoundObject secret = {};
};

void ServiceAccountTokens::CheckLegacy(const serving::Jwt& jwt, std::string_view token,
                                       std::vector<std::string> audiences,
                                       serving::AuthenticationCallback done) {
  serving::LegacyClaims claims = serving::LegacyClaims::Read(jwt.claims());
  if (const std::string missing = MissingClaim(claims); !missing.empty()) {
    done(serving::Authentication::Refused(missing + " claim is missing"));
    return;
  }
  if (!NamesAccount(claims)) {
    done(serving::Authentication::Refused("sub claim is invalid"));
    return;
  }
  if (!options_.lookup) {
    serving::Authentication found = serving::Authentication::Of(serving::ServiceAccountUser(
        claims.name_space, claims.service_account, claims.service_account_uid));
    found.audiences = std::move(audiences);
    done(std::move(found));
    return;
  }
  auto verification = std::make_shared<LegacyVerification>(LegacyVerification{
      std::move(claims), std::string(token), std::move(audiences), std::move(done)});
  lookup_.Find(BoundKind::kSecret, verification->claims.name_space, verification->claims.secret,
               [this, verification](Result<BoundObject> secret) {
                 CheckLegacySecret(verification, std::move(secret));
               });
}

void ServiceAccountTokens::CheckLegacySecret(std::shared_ptr<LegacyVerification> verification,
                                             Result<BoundObject> secret) {
  if (!secret || secret->deletion) {
    verification->done(serving::Authentication::Refused("Token has been invalidated"));
    return;
  }
  if (!crypto::EqualSecrets(secret->token, verification->token)) {
    verification->done(serving::Authentication::Refused("Token does not match server's copy"));
    return;
  }
  verification->secret = std::move(*secret);
  const serving::LegacyClaims& claims = verification->claims;
  lookup_.Find(BoundKind::kServiceAccount, claims.name_space, claims.service_account,
               [this, verification](Result<BoundObject> account) {
                 verification->done(CheckLegacyAccount(*verification, account));
               });
}

serving::Authentication ServiceAccountTokens::CheckLegacyAccount(
    const LegacyVerification& verification, const Result<BoundObject>& account) const {
  const serving::LegacyClaims& claims = verification.claims;
  const std::string account_path = Path(claims.name_space, claims.service_account);
  if (!account) return serving::Authentication::Refused(account.error().message());
  if (account->deletion) {
    return serving::Authentication::Refused("ServiceAccount " + account_path + " has been deleted");
  }
  if (account->uid != claims.service_account_uid) {
    return serving::Authentication::Refused("ServiceAccount UID (" + account->uid +
                                            ") does not match claim (" +
                                            claims.service_account_uid + ")");
  }
  ReportLegacyUse(verification);
  const auto invalid = verification.secret.labels.find(kInvalidSinceLabel);
  if (invalid != verification.secret.labels.end() && !invalid->second.empty()) {
    return serving::Authentication::Refused(
        "the token in secret " + Path(claims.name_space, claims.secret) + " for service account " +
        account_path +
        " has been marked invalid. Use tokens from the TokenRequest API or manually created "
        "secret-based tokens, or remove the '" +
        kInvalidSinceLabel + "' label from the secret to temporarily allow use of this token");
  }
  serving::Authentication found = serving::Authentication::Of(serving::ServiceAccountUser(
      claims.name_space, claims.service_account, claims.service_account_uid));
  found.audiences = verification.audiences;
  found.audit_annotations.push_back({"authentication.k8s.io/legacy-token", claims.subject});
  const auto& secrets = account->secrets;
  if (std::find(secrets.begin(), secrets.end(), claims.secret) != secrets.end()) {
    found.warnings.emplace_back(
        "Use tokens from the TokenRequest API or manually created secret-based tokens instead of "
        "auto-generated secret-based tokens.");
    found.audit_annotations.push_back(
        {"authentication.k8s.io/legacy-token-autogenerated-secret", claims.secret});
  } else {
    found.audit_annotations.push_back(
        {"authentication.k8s.io/legacy-token-manual-secret", claims.secret});
  }
  return found;
}

void ServiceAccountTokens::ReportLegacyUse(const LegacyVerification& verification) const {
  if (!options_.on_legacy_use) return;
  const int64_t now = Now().seconds;
  const auto label = verification.secret.labels.find(kLastUsedLabel);
  // Another server's clock may be ahead by a day's end.
  if (label != verification.secret.labels.end() &&
      (label->second == DateOf(now) || label->second == DateOf(now + kSecondsPerDay))) {
    return;
  }
  options_.on_legacy_use({verification.claims.name_space, verification.claims.secret,
                          verification.secret.uid, DateOf(now)});
}

}  // namespace skiff::apiserver
