// ClusterTrustBundleAttest: saying which certificates to trust for a signer takes the right to
// attest for it.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/authz/escalation.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

class ClusterTrustBundleAttest final : public AdmissionPlugin {
 public:
  ClusterTrustBundleAttest(serving::Authorizer& authorizer, bool enabled)
      : authorizer_(authorizer), enabled_(enabled) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!enabled_ || request.object == nullptr ||
        !IsOf(request, "certificates.k8s.io", "clustertrustbundles")) {
      return {};
    }
    const object::Value* found = request.object->root().FindPath({"spec", "signerName"});
    const std::string_view signer = found != nullptr ? found->AsText() : std::string_view();
    if (signer.empty()) return {};
    if (Updates(request) && ChangesOnlyCollectedFields(*request.object, *request.old)) return {};
    if (MayUseSigner(authorizer_, request.user, "attest", signer)) return {};
    return Deny(request, "user not permitted to attest for signerName " + InQuotes(signer));
  }

 private:
  serving::Authorizer& authorizer_;
  bool enabled_;
};

}  // namespace

MadePlugin MakeClusterTrustBundleAttest(const PluginContext& context, std::string_view) {
  return std::make_unique<ClusterTrustBundleAttest>(context.authorizer,
                                                    context.FeatureEnabled("ClusterTrustBundle"));
}

}  // namespace skiff::apiserver
