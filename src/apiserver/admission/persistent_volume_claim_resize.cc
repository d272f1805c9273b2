// PersistentVolumeClaimResize: a claim grows only when it is bound and its class says that volumes
// of it can be expanded.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "object/scalar/quantity.h"
#include "views/core/v1.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kOldClassAnnotation = "volume.beta.kubernetes.io/storage-class";

object::Quantity SizeOf(const core::PersistentVolumeClaim& claim) {
  const auto text = claim.spec().resources().requests().Find("storage");
  const Result<object::Quantity> size = object::Quantity::Parse(text.value_or("0"));
  return size ? *size : object::Quantity();
}

std::string_view ClassOf(const core::PersistentVolumeClaim& claim) {
  const auto old = claim.metadata().annotations().Find(kOldClassAnnotation);
  return old ? *old : claim.spec().storage_class_name().value_or("");
}

class PersistentVolumeClaimResize final : public AdmissionPlugin {
 public:
  explicit PersistentVolumeClaimResize(ResourceStorage* classes) : classes_(classes) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Updates(request) || !IsWholly(request, "", "persistentvolumeclaims")) return {};
    const core::PersistentVolumeClaim old(*request.old);
    const core::PersistentVolumeClaim claim(*request.object);
    if (SizeOf(claim) <= SizeOf(old)) return {};
    if (old.status().phase() != "Bound") {
      return Deny(request, "Only bound persistent volume claims can be expanded");
    }
    if (ClassOf(claim) == ClassOf(old) && Expands(ClassOf(claim))) return {};
    return Deny(request,
                "only dynamically provisioned pvc can be resized and the storageclass that "
                "provisions the pvc must support resize");
  }

 private:
  bool Expands(std::string_view name) {
    if (name.empty()) return false;
    const std::optional<object::Document> found = DecodeNow(classes_, "", name);
    return found &&
           views::storage_k8s_io_v1::StorageClass(*found).allow_volume_expansion().value_or(false);
  }

  ResourceStorage* classes_;
};

}  // namespace

MadePlugin MakePersistentVolumeClaimResize(const PluginContext& context, std::string_view) {
  return std::make_unique<PersistentVolumeClaimResize>(
      StorageOf(context, "storage.k8s.io", "storageclasses"));
}

}  // namespace skiff::apiserver
