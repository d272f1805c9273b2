// CertificateSubjectRestriction: nobody becomes a member of system:masters by a certificate that
// the cluster's signer of clients would sign.
#include <algorithm>

#include "apiserver/admission/csr_subject.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/certificates.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client";

class CertificateSubjectRestriction final : public AdmissionPlugin {
 public:
  Result<void> Validate(AdmissionRequest& request) override {
    if (!Creates(request) ||
        !IsWholly(request, "certificates.k8s.io", "certificatesigningrequests")) {
      return {};
    }
    const views::certificates_k8s_io_v1::CertificateSigningRequest csr(*request.object);
    if (csr.spec().signer_name() != kClientSigner) return {};
    const Result<CsrSubject> subject = ReadCsrSubject(csr.spec().request());
    if (!subject) return Deny(request, "failed to parse CSR: " + subject.error().message());
    if (std::ranges::find(subject->organizations, serving::kMastersGroup) ==
        subject->organizations.end()) {
      return {};
    }
    return Deny(request, "use of " + std::string(kClientSigner) +
                             " signer with system:masters group is not allowed");
  }
};

}  // namespace

MadePlugin MakeCertificateSubjectRestriction(const PluginContext&, std::string_view) {
  return std::make_unique<CertificateSubjectRestriction>();
}

}  // namespace skiff::apiserver
