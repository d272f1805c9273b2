// PodGroupProtection: a pod group gets a finalizer, so that it stays as long as pods are in it.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kFinalizer = "scheduling.k8s.io/podgroup-protection";

class PodGroupProtection final : public AdmissionPlugin {
 public:
  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Creates(request) || !IsWholly(request, "scheduling.k8s.io", "podgroups")) return {};
    MetaOf meta(*request.object);
    if (!meta.HasFinalizer(kFinalizer)) meta.AddFinalizer(kFinalizer);
    return {};
  }
};

}  // namespace

MadePlugin MakePodGroupProtection(const PluginContext& context, std::string_view) {
  if (!context.FeatureEnabled("GenericWorkload")) return std::make_unique<AdmissionPlugin>();
  return std::make_unique<PodGroupProtection>();
}

}  // namespace skiff::apiserver
