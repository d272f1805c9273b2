// PodGroupWorkloadExists: a pod group that names a workload is made from a template that the
// workload has.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

std::string TextOf(const object::Value& object, std::string_view name) {
  const object::Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? std::string(found->AsText()) : std::string();
}

class PodGroupWorkloadExists final : public AdmissionPlugin {
 public:
  explicit PodGroupWorkloadExists(ResourceStorage* workloads) : workloads_(workloads) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Creates(request) || !IsWholly(request, "scheduling.k8s.io", "podgroups")) return {};
    const object::Value* ref =
        request.object->root().FindPath({"spec", "podGroupTemplateRef", "workload"});
    if (ref == nullptr) return {};
    const std::string name = TextOf(*ref, "workloadName");
    const std::string wanted = TextOf(*ref, "podGroupTemplateName");
    std::optional<object::Document> workload = DecodeNow(workloads_, request.name_space, name);
    if (!workload) {
      if (request.awaited != nullptr && workloads_ != nullptr) {
        *request.awaited = {workloads_, std::string(request.name_space), name};
      }
      return Deny(request, "PodGroup rejected: Workload " + InQuotes(name) + " not found");
    }
    if (MetaOf(*workload).deleting()) {
      return Deny(request, "PodGroup rejected: Workload " + InQuotes(name) + " is being deleted");
    }
    const object::Value* templates = workload->root().FindPath({"spec", "podGroupTemplates"});
    for (size_t i = 0; templates != nullptr && i < templates->size(); ++i) {
      if (TextOf(templates->items()[i], "name") == wanted) return {};
    }
    return Deny(request, "PodGroup rejected: PodGroupTemplate " + InQuotes(wanted) +
                             " not found in Workload " + InQuotes(name));
  }

 private:
  ResourceStorage* workloads_;
};

}  // namespace

MadePlugin MakePodGroupWorkloadExists(const PluginContext& context, std::string_view) {
  if (!context.FeatureEnabled("GenericWorkload")) return std::make_unique<AdmissionPlugin>();
  return std::make_unique<PodGroupWorkloadExists>(
      StorageOf(context, "scheduling.k8s.io", "workloads"));
}

}  // namespace skiff::apiserver
