// CertificateSigning: handing out a certificate takes the right to sign for the signer that the
// request names.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "base/strings.h"
#include "views/certificates.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace certificates = views::certificates_k8s_io_v1;

bool SameConditions(const object::Document& a, const object::Document& b) {
  const object::Value* x = a.root().FindPath({"status", "conditions"});
  const object::Value* y = b.root().FindPath({"status", "conditions"});
  if (x == nullptr || y == nullptr) {
    return (x == nullptr || x->size() == 0) && (y == nullptr || y->size() == 0);
  }
  return object::DeepEqual(*x, *y);
}

class CertificateSigning final : public AdmissionPlugin {
 public:
  explicit CertificateSigning(serving::Authorizer& authorizer) : authorizer_(authorizer) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Updates(request) || request.subresource != "status" ||
        !IsOf(request, "certificates.k8s.io", "certificatesigningrequests")) {
      return {};
    }
    const certificates::CertificateSigningRequest old(*request.old);
    const certificates::CertificateSigningRequest csr(*request.object);
    if (old.status().certificate() == csr.status().certificate() &&
        SameConditions(*request.old, *request.object)) {
      return {};
    }
    const std::string_view signer = old.spec().signer_name();
    if (MayUseSigner(authorizer_, request.user, "sign", signer)) return {};
    return Deny(request, "user not permitted to sign requests with signerName " + InQuotes(signer));
  }

 private:
  serving::Authorizer& authorizer_;
};

}  // namespace

MadePlugin MakeCertificateSigning(const PluginContext& context, std::string_view) {
  return std::make_unique<CertificateSigning>(context.authorizer);
}

}  // namespace skiff::apiserver
