#include "apiserver/registry/certificates/pod_certificate_request_behaviour.h"

#include <cstdlib>
#include <string>

#include "apiserver/authz/authorize_now.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/field_errors.h"
#include "views/certificates.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

namespace certificates = views::certificates_k8s_io_v1beta1;

constexpr int64_t kClockSkewSeconds = 5 * 60;

}  // namespace

void PodCertificateRequestBehaviour::Check(WriteContext& write, const object::Document* old,
                                           const object::Document& object, bool follows_rules,
                                           FieldErrors& errors) {
  if (old == nullptr || write.subresource != "status" || !follows_rules) return;
  const certificates::PodCertificateRequest before(*old);
  const auto status = certificates::PodCertificateRequest(object).status();
  if (SameValue(status.AsValue(), before.status().AsValue())) return;
  // By the rules, the status has a time only now that a certificate is issued.
  if (status.not_before() &&
      std::abs(status.not_before()->seconds - write.now.seconds) > kClockSkewSeconds) {
    return errors.Invalid("status.notBefore", status.AsValue()->Find("notBefore"),
                          "must be set to within 5 minutes of kube-apiserver's current time");
  }
  const std::string_view signer = before.spec().signer_name();
  if (write.user == nullptr || MayUseSigner(authorizer_, *write.user, "sign", signer)) return;
  errors.Forbidden("spec.signerName", "User \"" + write.user->name +
                                          "\" is not permitted to \"sign\" for signer \"" +
                                          std::string(signer) + "\"");
}

}  // namespace skiff::apiserver
