// CertificateApproval: approving or denying a request for a certificate takes the right to approve
// for its signer.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "base/strings.h"
#include "views/certificates.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

class CertificateApproval final : public AdmissionPlugin {
 public:
  explicit CertificateApproval(serving::Authorizer& authorizer) : authorizer_(authorizer) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Updates(request) || request.subresource != "approval" ||
        !IsOf(request, "certificates.k8s.io", "certificatesigningrequests")) {
      return {};
    }
    const views::certificates_k8s_io_v1::CertificateSigningRequest csr(*request.old);
    const std::string_view signer = csr.spec().signer_name();
    if (MayUseSigner(authorizer_, request.user, "approve", signer)) return {};
    return Deny(request,
                "user not permitted to approve requests with signerName " + InQuotes(signer));
  }

 private:
  serving::Authorizer& authorizer_;
};

}  // namespace

MadePlugin MakeCertificateApproval(const PluginContext& context, std::string_view) {
  return std::make_unique<CertificateApproval>(context.authorizer);
}

}  // namespace skiff::apiserver
