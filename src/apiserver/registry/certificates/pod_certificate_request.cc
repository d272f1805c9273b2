#include "apiserver/registry/certificates/pod_certificate_request.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/registry/certificates/signer_name.h"
#include "apiserver/registry/certificates/x509.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"
#include "views/certificates.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

namespace certificates = views::certificates_k8s_io_v1beta1;

constexpr size_t kMaxUidBytes = 128;
constexpr size_t kMaxKeyBytes = 10 * 1024;
constexpr size_t kMaxChainBytes = 100 * 1024;
constexpr int32_t kMinExpirationSeconds = 60 * 60;
constexpr int32_t kMaxExpirationSeconds = 91 * 24 * 60 * 60;
constexpr int32_t kMaxExpirationSecondsOfKubernetes = 24 * 60 * 60;
constexpr int64_t kMinLifetimeSeconds = 60 * 60;
constexpr int64_t kMinRefreshMarginSeconds = 10 * 60;
// Durations are shown in nanoseconds.
constexpr int64_t kNanosPerSecond = 1'000'000'000;

// Whether the signer is one of Kubernetes' own.
bool IsKubernetesSigner(std::string_view name) {
  const std::string_view domain = name.substr(0, name.find('/'));
  return domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
}

void ValidateUid(std::string_view uid, std::string_view field, FieldErrors& errors) {
  if (uid.empty()) errors.Invalid(field, uid, "must not be empty");
  if (uid.size() > kMaxUidBytes) errors.TooLong(field, kMaxUidBytes);
}

// Keys of a domain, in lower case.
void ValidateUserAnnotations(const object::MapView<std::string_view>& annotations,
                             FieldErrors& errors) {
  for (const auto entry : annotations) {
    const std::string key = AsciiLower(entry.key);
    if (!object::IsDomainPrefixedPath(key)) {
      errors.Invalid("unverifiedUserAnnotations", key, object::CheckDomainPrefixedPath(key));
    }
  }
}

// Of a key that pods may not use; `shown` is what holds it, and `curves` those that are good.
void RefuseKey(const PublicKey& key, std::string_view field, const ShownValue& shown,
               std::string_view curves, FieldErrors& errors) {
  if (key.kind() == PublicKey::Kind::kRsa) {
    errors.Invalid(field, std::to_string(key.Bits()) + "-bit modulus",
                   "RSA keys must have modulus size 3072 or 4096");
  } else if (key.kind() == PublicKey::Kind::kEcdsa) {
    errors.Invalid(field, "curve P-" + std::to_string(key.Bits()),
                   "elliptic public keys must use curve " + std::string(curves));
  } else {
    errors.Invalid(field, shown,
                   "unknown public key type; supported types are Ed25519, ECDSA, and RSA");
  }
}

void ValidatePkixKey(const certificates::PodCertificateRequestSpec& spec, FieldErrors& errors) {
  if (spec.pkix_public_key().size() > kMaxKeyBytes) {
    return errors.TooLong("pkixPublicKey", kMaxKeyBytes);
  }
  if (spec.proof_of_possession().size() > kMaxKeyBytes) {
    return errors.TooLong("proofOfPossession", kMaxKeyBytes);
  }
  const PublicKey key = PublicKey::FromPkix(spec.pkix_public_key());
  const ShownValue shown = spec.AsValue()->Find("pkixPublicKey");
  if (!key) {
    return errors.Invalid("pkixPublicKey", shown, "must be a valid PKIX-serialized public key");
  }
  if (!key.IsAllowedForPods()) {
    return RefuseKey(key, "pkixPublicKey", shown, "P256 or P384", errors);
  }
  if (!key.Signed(spec.pod_uid(), spec.proof_of_possession())) {
    errors.Invalid("proofOfPossession", ShownValue::Omitted(),
                   "could not verify proof-of-possession signature");
  }
}

void ValidateStubRequest(std::string_view der, FieldErrors& errors) {
  constexpr std::string_view kField = "stubPKCS10Request";
  if (der.size() > kMaxKeyBytes) return errors.TooLong(kField, kMaxKeyBytes);
  const ParsedRequest request = ParseCertificateRequest(der);
  const ShownValue omitted = ShownValue::Omitted();
  if (!request.is_request) return errors.Invalid(kField, omitted, "must be a valid PKCS#10 CSR");
  if (!request.key.IsAllowedForPods()) {
    return RefuseKey(request.key, kField, omitted, "P256, P384, or P521", errors);
  }
  if (!request.is_signed) errors.Invalid(kField, omitted, "invalid signature");
}

void ValidateExpiration(const certificates::PodCertificateRequestSpec& spec, FieldErrors& errors) {
  const int32_t max = IsKubernetesSigner(spec.signer_name()) ? kMaxExpirationSecondsOfKubernetes
                                                             : kMaxExpirationSeconds;
  const int32_t seconds = *spec.max_expiration_seconds();
  if (seconds >= kMinExpirationSeconds && seconds <= max) return;
  errors.Invalid("maxExpirationSeconds", seconds,
                 "must be in the range [" + std::to_string(kMinExpirationSeconds) + ", " +
                     std::to_string(max) + "]");
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const auto spec = certificates::PodCertificateRequest(object).spec();
  const auto at = errors.At("spec");
  ValidateSignerName(spec.signer_name(), "signerName", errors);
  ValidateUserAnnotations(spec.unverified_user_annotations(), errors);
  ValidateFormat(kDnsSubdomainFormat, spec.pod_name(), "podName", errors);
  ValidateUid(spec.pod_uid(), "podUID", errors);
  ValidateFormat(kDnsSubdomainFormat, spec.service_account_name(), "serviceAccountName", errors);
  ValidateUid(spec.service_account_uid(), "serviceAccountUID", errors);
  ValidateFormat(kDnsSubdomainFormat, spec.node_name(), "nodeName", errors);
  ValidateUid(spec.node_uid(), "nodeUID", errors);
  if (!spec.max_expiration_seconds()) return errors.Required("maxExpirationSeconds", "must be set");
  ValidateExpiration(spec, errors);
  const bool has_stub = !spec.stub_pkcs10_request().empty();
  const bool has_key = !spec.pkix_public_key().empty();
  const bool has_proof = !spec.proof_of_possession().empty();
  if (has_stub && !has_key && !has_proof) {
    ValidateStubRequest(spec.stub_pkcs10_request(), errors);
  } else if (!has_stub && has_key && has_proof) {
    ValidatePkixKey(spec, errors);
  } else {
    errors.Invalid("", ShownValue::Omitted(),
                   "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must "
                   "be set");
  }
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  ValidateImmutable(old.root().Find("spec"), object.root().Find("spec"), "spec", errors);
}

bool IsTrue(const certificates::PodCertificateRequestStatus& status, std::string_view type) {
  for (const auto condition : status.conditions()) {
    if (condition.type() == type && condition.status() == "True") return true;
  }
  return false;
}

bool IsAnswered(const certificates::PodCertificateRequestStatus& status) {
  return IsTrue(status, "Issued") || IsTrue(status, "Denied") || IsTrue(status, "Failed");
}

void ValidateAnswer(const certificates::PodCertificateRequestStatus& status, FieldErrors& errors) {
  const auto conditions = status.conditions();
  size_t known = 0;
  for (size_t i = 0; i < conditions.size(); ++i) {
    // The place of these is spelled with one dot more than that of other conditions.
    const std::string place = "conditions.[" + std::to_string(i) + "]";
    const auto at = errors.At(place);
    const std::string_view type = conditions[i].type();
    if (type != "Issued" && type != "Denied" && type != "Failed") {
      errors.NotSupported("type", type, {"Issued", "Denied", "Failed"});
      continue;
    }
    if (++known > 1) {
      errors.Invalid("type", type,
                     "There may be at most one condition with type \"Issued\", \"Denied\", or "
                     "\"Failed\"");
    }
    ValidateOneOf(conditions[i].status(), {"True"}, "status", errors);
  }
  ValidateConditions(conditions, "conditions", errors);
}

void ValidateDnsNames(const ParsedCertificate& leaf, FieldErrors& errors) {
  for (const std::string& name : leaf.dns_names) {
    if (name.empty()) {
      errors.Invalid("certificateChain", name, "leaf certificate should not contain empty DNSName");
    }
    if (name.find("..") != std::string::npos) {
      errors.Invalid("certificateChain", name,
                     "leaf certificate's DNSName should not contain '..'");
    }
    if (name.starts_with('.') || name.ends_with('.')) {
      errors.Invalid("certificateChain", name,
                     "leaf certificate's DNSName should not start or end with '.'");
    }
  }
}

// The times of the status, which must be those of the certificate.
void ValidateTimes(const certificates::PodCertificateRequest& request,
                   const ParsedCertificate& leaf, FieldErrors& errors) {
  const auto status = request.status();
  const object::Value* shown = status.AsValue();
  constexpr std::string_view kNeeded = "must be present and consistent with the issued certificate";
  if (!status.not_before()) errors.Required("notBefore", kNeeded);
  if (!status.not_after()) errors.Required("notAfter", kNeeded);
  if (!status.begin_refresh_at()) {
    errors.Required("beginRefreshAt",
                    "must be present and in the range [notbefore+10min, notafter-10min]");
  }
  if (!status.not_before() || !status.not_after() || !status.begin_refresh_at()) return;
  if (*status.not_before() != leaf.not_before) {
    return errors.Invalid("notBefore", shown->Find("notBefore"),
                          "must be set to the NotBefore time encoded in the leaf certificate");
  }
  if (*status.not_after() != leaf.not_after) {
    return errors.Invalid("notAfter", shown->Find("notAfter"),
                          "must be set to the NotAfter time encoded in the leaf certificate");
  }
  const int64_t lifetime = leaf.not_after.seconds - leaf.not_before.seconds;
  if (lifetime < kMinLifetimeSeconds) {
    return errors.Invalid("certificateChain", lifetime * kNanosPerSecond,
                          "leaf certificate lifetime must be >= 1 hour");
  }
  const int32_t longest = request.spec().max_expiration_seconds().value_or(0);
  if (lifetime > longest) {
    return errors.Invalid("certificateChain", lifetime * kNanosPerSecond,
                          "leaf certificate lifetime must be <= spec.maxExpirationSeconds (" +
                              std::to_string(longest) + ")");
  }
  const int64_t refresh = status.begin_refresh_at()->seconds;
  if (refresh < leaf.not_before.seconds + kMinRefreshMarginSeconds) {
    errors.Invalid("beginRefreshAt", shown->Find("beginRefreshAt"),
                   "must be at least 10 minutes after status.notBefore");
  } else if (refresh > leaf.not_after.seconds - kMinRefreshMarginSeconds) {
    errors.Invalid("beginRefreshAt", shown->Find("beginRefreshAt"),
                   "must be at least 10 minutes before status.notAfter");
  }
}

void ValidateIssued(const certificates::PodCertificateRequest& request, FieldErrors& errors) {
  constexpr std::string_view kField = "certificateChain";
  const std::string_view chain = request.status().certificate_chain();
  if (chain.size() > kMaxChainBytes) return errors.TooLong(kField, kMaxChainBytes);
  const std::vector<PemBlock> blocks = ReadPem(chain);
  if (blocks.empty()) {
    return errors.Invalid(kField, chain,
                          "issued certificate chain must contain at least one certificate");
  }
  std::vector<ParsedCertificate> certificates;
  for (const PemBlock& block : blocks) {
    const bool is_leaf = certificates.empty();
    if (block.type != "CERTIFICATE") {
      return errors.Invalid(kField, chain,
                            is_leaf ? "issued certificate chain must consist entirely of "
                                      "CERTIFICATE PEM blocks"
                                    : "issued certificate chain must consist entirely of "
                                      "CERTFICATE PEM blocks");
    }
    certificates.push_back(ParseCertificate(block.der));
    if (!certificates.back().is_certificate) {
      return errors.Invalid(kField, chain,
                            is_leaf ? "leaf certificate does not parse as valid X.509"
                                    : "intermediate certificate does not parse as valid X.509");
    }
  }
  const size_t faults = errors.size();
  ValidateDnsNames(certificates[0], errors);
  const auto spec = request.spec();
  const PublicKey key = spec.stub_pkcs10_request().empty()
                            ? PublicKey::FromPkix(spec.pkix_public_key())
                            : ParseCertificateRequest(spec.stub_pkcs10_request()).key;
  if (!certificates[0].key.Equals(key)) {
    return errors.Invalid(kField, chain,
                          "leaf certificate was not issued to the requested public key");
  }
  if (errors.size() == faults) ValidateTimes(request, certificates[0], errors);
}

void ValidateStatus(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const certificates::PodCertificateRequest request(object);
  const auto status = request.status();
  const auto before = certificates::PodCertificateRequest(old).status();
  const auto at = errors.At("status");
  ValidateAnswer(status, errors);
  if (!errors.empty()) return;
  if (IsAnswered(before) || !IsAnswered(status)) {
    if (SameValue(before.AsValue(), status.AsValue())) return;
    return errors.Invalid(
        "", ShownValue::Omitted(),
        IsAnswered(before)
            ? "immutable after PodCertificateRequest is issued, denied, or failed"
            : "status is immutable unless transitioning to \"Issued\", \"Denied\", or \"Failed\"");
  }
  if (IsTrue(status, "Issued")) return ValidateIssued(request, errors);
  if (status.certificate_chain().empty() && !status.not_before() && !status.not_after() &&
      !status.begin_refresh_at()) {
    return;
  }
  errors.Invalid("", ShownValue::Omitted(),
                 "non-condition status fields must be empty when denying or failing the "
                 "PodCertificateRequest");
}

}  // namespace

const KindRules kPodCertificateRequestRules = {.group = "certificates.k8s.io",
                                               .kind = "PodCertificateRequest",
                                               .create = ValidateCreate,
                                               .update = ValidateUpdate,
                                               .status = ValidateStatus};

}  // namespace skiff::apiserver
