#include "apiserver/registry/certificates/rules.h"

#include "apiserver/registry/certificates/certificate_signing_request.h"
#include "apiserver/registry/certificates/cluster_trust_bundle.h"
#include "apiserver/registry/certificates/pod_certificate_request.h"

namespace skiff {

std::span<const KindRules> CertificatesRules() {
  static const KindRules kRules[] = {
      kCertificateSigningRequestRules,
      kClusterTrustBundleRules,
      kPodCertificateRequestRules,
  };
  return kRules;
}

}  // namespace skiff
