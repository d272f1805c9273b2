// DefaultStorageClass: a claim that says nothing about its class gets the cluster's default one.
#include "apiserver/admission/default_class.h"
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kOldClassAnnotation = "volume.beta.kubernetes.io/storage-class";

struct DefaultStorage : DefaultClassByAnnotation {
  void Add(const object::Document& object) {
    Consider(object, {"storageclass.kubernetes.io/is-default-class",
                      "storageclass.beta.kubernetes.io/is-default-class"});
  }
};

class DefaultStorageClass final : public AdmissionPlugin {
 public:
  explicit DefaultStorageClass(ResourceStorage* classes) : default_(classes) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Creates(request) || !IsWholly(request, "", "persistentvolumeclaims")) return {};
    const core::PersistentVolumeClaim claim(*request.object);
    if (claim.spec().storage_class_name() ||
        claim.metadata().annotations().Contains(kOldClassAnnotation)) {
      return {};
    }
    const std::shared_ptr<const DefaultStorage> found = default_.Get();
    if (found->name().empty()) return {};
    core::MutablePersistentVolumeClaim(*request.object)
        .mutable_spec()
        .set_storage_class_name(found->name());
    return {};
  }

 private:
  Summary<DefaultStorage> default_;
};

}  // namespace

MadePlugin MakeDefaultStorageClass(const PluginContext& context, std::string_view) {
  return std::make_unique<DefaultStorageClass>(
      StorageOf(context, "storage.k8s.io", "storageclasses"));
}

}  // namespace skiff::apiserver
