// JobValidation: the pods of a gang are scheduled together or not at all, so the parallelism of a
// job whose pods form one does not change.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

bool IsGang(const object::Document& group) {
  return group.root().FindPath({"spec", "schedulingPolicy", "gang"}) != nullptr;
}

bool IsControlledBy(const object::Document& object, std::string_view uid) {
  const object::Value* owners = object.root().FindPath({"metadata", "ownerReferences"});
  for (size_t i = 0; owners != nullptr && i < owners->size(); ++i) {
    const object::Value* controller = owners->items()[i].Find("controller");
    const object::Value* owner_uid = owners->items()[i].Find("uid");
    if (controller != nullptr && controller->AsBool() && owner_uid != nullptr) {
      return owner_uid->AsText() == uid;
    }
  }
  return false;
}

class JobValidation final : public AdmissionPlugin {
 public:
  explicit JobValidation(ResourceStorage* groups) : groups_(groups) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Updates(request) || !IsWholly(request, "batch", "jobs")) return {};
    const object::Value* before = request.old->root().FindPath({"spec", "parallelism"});
    const object::Value* after = request.object->root().FindPath({"spec", "parallelism"});
    if ((before == nullptr) == (after == nullptr) &&
        (before == nullptr || before->AsInt() == after->AsInt())) {
      return {};
    }
    const std::string group = FindGang(*request.old, request.name_space);
    if (group.empty()) return {};
    return Deny(request,
                "cannot change parallelism for a Job referencing gang-scheduled PodGroup " +
                    InQuotes(group));
  }

 private:
  // The group that the job names, or one that it controls; empty when that is no gang.
  std::string FindGang(object::Document& job, std::string_view name_space) {
    const object::Value* name =
        job.root().FindPath({"spec", "template", "spec", "schedulingGroup", "podGroupName"});
    if (name != nullptr) {
      const std::optional<object::Document> group = DecodeNow(groups_, name_space, name->AsText());
      return group && IsGang(*group) ? std::string(name->AsText()) : std::string();
    }
    const std::string uid(MetaOf(job).uid());
    std::string found;
    ForEachInCache(groups_, [&](const store::CacheEntry& entry) {
      if (!found.empty() || entry.name_space() != name_space) return;
      const Result<object::Document> group = DecodeStored(entry.value().view(), entry.revision());
      if (group && IsControlledBy(*group, uid) && IsGang(*group)) found = entry.name();
    });
    return found;
  }

  ResourceStorage* groups_;
};

}  // namespace

MadePlugin MakeJobValidation(const PluginContext& context, std::string_view) {
  if (!context.FeatureEnabled("GenericWorkload") && !context.FeatureEnabled("WorkloadWithJob")) {
    return std::make_unique<AdmissionPlugin>();
  }
  return std::make_unique<JobValidation>(StorageOf(context, "scheduling.k8s.io", "podgroups"));
}

}  // namespace skiff::apiserver
