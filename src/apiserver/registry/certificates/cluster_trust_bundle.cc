#include "apiserver/registry/certificates/cluster_trust_bundle.h"

#include <algorithm>
#include <map>
#include <string>

#include "apiserver/registry/certificates/signer_name.h"
#include "apiserver/registry/certificates/x509.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "views/certificates.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

namespace certificates = views::certificates_k8s_io_v1beta1;

constexpr size_t kMaxBundleBytes = 1 << 20;
constexpr std::string_view kOmitted = "<value omitted>";

// Bundles of a signer are named after it.
void ValidateName(std::string_view name, std::string_view signer, FieldErrors& errors) {
  if (signer.empty()) {
    if (name.find(':') != std::string_view::npos) {
      return errors.Invalid("metadata.name", name,
                            "ClusterTrustBundle without signer name must not have \":\" in it");
    }
    return ValidateFormat(kDnsSubdomainFormat, name, "metadata.name", errors);
  }
  std::string prefix(signer);
  std::ranges::replace(prefix, '/', ':');
  prefix += ':';
  if (!name.starts_with(prefix)) {
    return errors.Invalid("metadata.name", name, "must be named with prefix " + prefix);
  }
  if (const object::NameProblems problems =
          object::CheckDns1123Subdomain(name.substr(prefix.size()));
      !problems.empty()) {
    errors.Invalid("metadata.name", name, problems);
  }
}

std::string ProblemOfBlock(const PemBlock& block) {
  if (block.type != "CERTIFICATE") return " has bad block type: " + block.type;
  if (block.has_headers) return " has PEM block headers";
  const ParsedCertificate certificate = ParseCertificate(block.der);
  if (!certificate.is_certificate) return " does not parse as X.509";
  if (!certificate.is_ca) return " does not have the CA bit set";
  return {};
}

void ValidateBundle(std::string_view bundle, FieldErrors& errors) {
  const auto at = errors.At("spec.trustBundle");
  if (bundle.size() > kMaxBundleBytes) return errors.TooLong("", kMaxBundleBytes);
  const std::vector<PemBlock> blocks = ReadPem(bundle);
  std::map<std::string_view, std::string> places;
  bool good = true;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const std::string problem = ProblemOfBlock(blocks[i]);
    std::string& indices = places[blocks[i].der];
    (indices += indices.empty() ? "" : " ") += std::to_string(i);
    if (problem.empty()) continue;
    good = false;
    errors.Invalid("", kOmitted, "entry " + std::to_string(i) + problem);
  }
  if (!good) return;
  if (blocks.empty()) {
    return errors.Invalid("", kOmitted, "at least one trust anchor must be provided");
  }
  for (const auto& [der, indices] : places) {
    if (indices.find(' ') == std::string::npos) continue;
    errors.Invalid("", kOmitted, "duplicate trust anchor (indices [" + indices + "])");
  }
}

void ValidateWhole(const certificates::ClusterTrustBundle& bundle, bool check_bundle,
                   FieldErrors& errors) {
  const std::string_view signer = bundle.spec().signer_name();
  ValidateName(bundle.metadata().name(), signer, errors);
  if (!signer.empty()) ValidateSignerName(signer, "spec.signerName", errors);
  if (check_bundle) ValidateBundle(bundle.spec().trust_bundle(), errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateWhole(certificates::ClusterTrustBundle(object), true, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const certificates::ClusterTrustBundle bundle(object);
  const certificates::ClusterTrustBundle before(old);
  ValidateWhole(bundle, bundle.spec().trust_bundle() != before.spec().trust_bundle(), errors);
  ValidateImmutable(before.spec().signer_name(), bundle.spec().signer_name(), "spec.signerName",
                    errors);
}

}  // namespace

const KindRules kClusterTrustBundleRules = {.group = "certificates.k8s.io",
                                            .kind = "ClusterTrustBundle",
                                            .create = ValidateCreate,
                                            .update = ValidateUpdate};

}  // namespace skiff::apiserver
