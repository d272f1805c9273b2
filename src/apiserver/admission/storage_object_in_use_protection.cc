// StorageObjectInUseProtection: claims, volumes and classes of volume attributes get a finalizer,
// so that a controller can keep them as long as something uses them.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {
namespace {

class StorageObjectInUseProtection final : public AdmissionPlugin {
 public:
  explicit StorageObjectInUseProtection(bool attributes_classes)
      : attributes_classes_(attributes_classes) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Creates(request) || !request.subresource.empty()) return {};
    const std::string_view finalizer = FinalizerOf(request);
    if (finalizer.empty()) return {};
    MetaOf meta(*request.object);
    if (!meta.HasFinalizer(finalizer)) meta.AddFinalizer(finalizer);
    return {};
  }

 private:
  std::string_view FinalizerOf(const AdmissionRequest& request) const {
    if (IsOf(request, "", "persistentvolumeclaims")) return "kubernetes.io/pvc-protection";
    if (IsOf(request, "", "persistentvolumes")) return "kubernetes.io/pv-protection";
    if (attributes_classes_ && IsOf(request, "storage.k8s.io", "volumeattributesclasses")) {
      return "kubernetes.io/vac-protection";
    }
    return {};
  }

  bool attributes_classes_;
};

}  // namespace

MadePlugin MakeStorageObjectInUseProtection(const PluginContext& context, std::string_view) {
  return std::make_unique<StorageObjectInUseProtection>(
      context.FeatureEnabled("VolumeAttributesClass"));
}

}  // namespace skiff::apiserver
