#include "apiserver/registry/certificates/certificate_signing_request.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "apiserver/registry/certificates/signer_name.h"
#include "apiserver/registry/certificates/x509.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "views/certificates.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace certificates = views::certificates_k8s_io_v1;

constexpr std::string_view kLegacySigner = "kubernetes.io/legacy-unknown";
constexpr int32_t kMinExpirationSeconds = 600;
constexpr std::string_view kUsages[] = {"any",
                                        "cert sign",
                                        "client auth",
                                        "code signing",
                                        "content commitment",
                                        "crl sign",
                                        "data encipherment",
                                        "decipher only",
                                        "digital signature",
                                        "email protection",
                                        "encipher only",
                                        "ipsec end system",
                                        "ipsec tunnel",
                                        "ipsec user",
                                        "key agreement",
                                        "key encipherment",
                                        "microsoft sgc",
                                        "netscape sgc",
                                        "ocsp signing",
                                        "s/mime",
                                        "server auth",
                                        "signing",
                                        "timestamping"};

// What an update may do, and which faults of the stored object it may leave.
struct Options {
  bool allow_both_decisions = false;
  bool allow_legacy_signer = false;
  bool allow_duplicate_conditions = false;
  bool allow_empty_condition_type = false;
  bool allow_any_certificate = false;
  bool allow_duplicate_usages = false;
  bool allow_unknown_usages = false;
};

bool IsUsage(std::string_view text) {
  return std::ranges::find(kUsages, text) != std::end(kUsages);
}

std::string_view ProblemOfRequest(std::string_view pem) {
  const std::vector<PemBlock> blocks = ReadPem(pem);
  if (blocks.empty() || blocks[0].type != "CERTIFICATE REQUEST") {
    return "PEM block type must be CERTIFICATE REQUEST";
  }
  const ParsedRequest request = ParseCertificateRequest(blocks[0].der);
  if (!request.is_request) return "is not a PKCS#10 certificate request";
  if (request.is_signed) return {};
  switch (request.key.kind()) {
    case PublicKey::Kind::kRsa:
      return "crypto/rsa: verification error";
    case PublicKey::Kind::kEcdsa:
      return "x509: ECDSA verification failure";
    case PublicKey::Kind::kEd25519:
      return "x509: Ed25519 verification failure";
    case PublicKey::Kind::kOther:
      break;
  }
  return "x509: cannot verify signature: algorithm unimplemented";
}

std::string ProblemOfCertificate(std::string_view pem) {
  if (pem.empty()) return {};
  const std::vector<PemBlock> blocks = ReadPem(pem);
  for (const PemBlock& block : blocks) {
    if (block.type != "CERTIFICATE") {
      return "only CERTIFICATE PEM blocks are allowed, found " + ShownValue(block.type).json();
    }
    if (block.has_headers) return "no PEM block headers are permitted";
    if (!ParseCertificate(block.der).is_certificate) return "x509: malformed certificate";
  }
  return blocks.empty() ? "must contain at least one CERTIFICATE PEM block" : "";
}

void ValidateUsages(const certificates::CertificateSigningRequestSpec& spec, const Options& options,
                    FieldErrors& errors) {
  const auto usages = spec.usages();
  if (usages.empty()) errors.Required("usages");
  for (size_t i = 0; !options.allow_unknown_usages && i < usages.size(); ++i) {
    const auto at = errors.At("usages", i);
    if (!IsUsage(usages[i])) errors.NotSupported("", usages[i], kUsages);
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; !options.allow_duplicate_usages && i < usages.size(); ++i) {
    const auto at = errors.At("usages", i);
    if (!seen.insert(usages[i]).second) errors.Duplicate("", usages[i]);
  }
}

void ValidateRequestConditions(const certificates::CertificateSigningRequestStatus& status,
                               const Options& options, FieldErrors& errors) {
  const auto conditions = status.conditions();
  std::set<std::string_view> seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const std::string_view type = conditions[i].type();
    const bool is_decision = type == "Approved" || type == "Denied";
    {
      const auto at = errors.At("status.conditions", i);
      if (!options.allow_empty_condition_type) ValidateRequired(type, "type", errors);
      if (conditions[i].status().empty()) {
        errors.Required("status");
      } else if (is_decision || type == "Failed") {
        ValidateOneOf(conditions[i].status(), {"True"}, "status", errors);
      } else {
        ValidateOneOf(conditions[i].status(), {"False", "True", "Unknown"}, "status", errors);
      }
    }
    if (is_decision && !options.allow_both_decisions &&
        seen.contains(type == "Approved" ? "Denied" : "Approved")) {
      errors.Invalid("status.conditions", type,
                     "Approved and Denied conditions are mutually exclusive");
    }
    const bool is_new = seen.insert(type).second;
    const auto at = errors.At("status.conditions", i);
    if (!is_new && !options.allow_duplicate_conditions) errors.Duplicate("type", type);
  }
}

void ValidateWhole(const certificates::CertificateSigningRequest& request, const Options& options,
                   FieldErrors& errors) {
  {
    const auto spec = request.spec();
    const auto at = errors.At("spec");
    if (const std::string_view problem = ProblemOfRequest(spec.request()); !problem.empty()) {
      errors.Invalid("request",
                     spec.AsValue() != nullptr ? spec.AsValue()->Find("request") : nullptr,
                     problem);
    }
    ValidateUsages(spec, options, errors);
    if (!options.allow_legacy_signer && spec.signer_name() == kLegacySigner) {
      errors.Invalid("signerName", spec.signer_name(),
                     "the legacy signerName is not allowed via this API version");
    } else {
      ValidateSignerName(spec.signer_name(), "signerName", errors);
    }
    if (const auto seconds = spec.expiration_seconds();
        seconds && *seconds < kMinExpirationSeconds) {
      errors.Invalid("expirationSeconds", *seconds,
                     "may not specify a duration less than 600 seconds (10 minutes)");
    }
  }
  ValidateRequestConditions(request.status(), options, errors);
  if (options.allow_any_certificate) return;
  const std::string problem = ProblemOfCertificate(request.status().certificate());
  if (!problem.empty()) errors.Invalid("status.certificate", "<certificate data>", problem);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateWhole(certificates::CertificateSigningRequest(object), {}, errors);
}

Options OptionsForUpdate(const certificates::CertificateSigningRequest& request,
                         const certificates::CertificateSigningRequest& old) {
  Options options;
  std::set<std::string_view> types;
  for (const auto condition : old.status().conditions()) {
    if (!types.insert(condition.type()).second) options.allow_duplicate_conditions = true;
  }
  options.allow_empty_condition_type = types.contains("");
  options.allow_both_decisions = types.contains("Approved") && types.contains("Denied");
  options.allow_legacy_signer = old.spec().signer_name() == kLegacySigner;
  const std::string_view certificate = old.status().certificate();
  options.allow_any_certificate =
      request.status().certificate() == certificate || !ProblemOfCertificate(certificate).empty();
  std::set<std::string_view> usages;
  for (const std::string_view usage : old.spec().usages()) {
    if (!usages.insert(usage).second) options.allow_duplicate_usages = true;
    if (!IsUsage(usage)) options.allow_unknown_usages = true;
  }
  return options;
}

std::vector<const object::Value*> ConditionsOf(
    const certificates::CertificateSigningRequest& request, std::string_view type) {
  std::vector<const object::Value*> out;
  for (const auto condition : request.status().conditions()) {
    if (condition.type() == type) out.push_back(condition.AsValue());
  }
  return out;
}

// Decisions stay, and only who may decide makes them.
void ValidateDecisions(const certificates::CertificateSigningRequest& request,
                       const certificates::CertificateSigningRequest& old, bool may_approve,
                       FieldErrors& errors) {
  constexpr std::string_view kField = "status.conditions";
  const auto what = [](std::string_view verb, std::string_view type) {
    return "updates may not " + std::string(verb) + " a condition of type \"" + std::string(type) +
           "\"";
  };
  for (const std::string_view type : {"Approved", "Denied", "Failed"}) {
    if (ConditionsOf(request, type).size() < ConditionsOf(old, type).size()) {
      errors.Forbidden(kField, what("remove", type));
    }
  }
  if (may_approve) return;
  for (const std::string_view type : {"Approved", "Denied"}) {
    const std::vector<const object::Value*> now = ConditionsOf(request, type);
    const std::vector<const object::Value*> before = ConditionsOf(old, type);
    if (now.size() < before.size()) continue;
    if (now.size() > before.size()) {
      errors.Forbidden(kField, what("add", type));
    } else if (!std::ranges::equal(now, before, SameValue)) {
      errors.Forbidden(kField, what("modify", type));
    }
  }
}

void ValidateChanged(const object::Document& object, const object::Document& old_object,
                     bool may_approve, bool may_set_certificate, FieldErrors& errors) {
  const certificates::CertificateSigningRequest request(object);
  const certificates::CertificateSigningRequest old(old_object);
  ValidateWhole(request, OptionsForUpdate(request, old), errors);
  ValidateDecisions(request, old, may_approve, errors);
  if (request.status().certificate() == old.status().certificate()) return;
  if (!may_set_certificate) {
    errors.Forbidden("status.certificate", "updates may not set certificate content");
  } else if (!old.status().certificate().empty()) {
    errors.Forbidden("status.certificate", "updates may not modify existing certificate content");
  }
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  ValidateChanged(object, old, false, false, errors);
}

void ValidateStatus(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  ValidateChanged(object, old, false, true, errors);
}

void ValidateApproval(const object::Document& object, const object::Document& old,
                      FieldErrors& errors) {
  ValidateChanged(object, old, true, false, errors);
}

constexpr SubresourceRules kOthers[] = {{"approval", ValidateApproval}};

}  // namespace

const KindRules kCertificateSigningRequestRules = {.group = "certificates.k8s.io",
                                                   .kind = "CertificateSigningRequest",
                                                   .create = ValidateCreate,
                                                   .update = ValidateUpdate,
                                                   .status = ValidateStatus,
                                                   .others = kOthers};

}  // namespace skiff::apiserver
