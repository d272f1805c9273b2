// Priority: pods get the number that their priority class stands for, or that of the default class;
// and there is one default class at most.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/core/v1.h"
#include "views/scheduling.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace scheduling = views::scheduling_k8s_io_v1;

constexpr std::string_view kGroup = "scheduling.k8s.io";

struct Class {
  Class() = default;
  explicit Class(object::Document& document) {
    const scheduling::PriorityClass read(document);
    name = read.metadata().name();
    value = read.value();
    preemption_policy = read.preemption_policy();
  }
  std::string name;
  int32_t value = 0;
  std::optional<std::string> preemption_policy = "PreemptLowerPriority";
};

// Of several default classes, which a race can make, the lowest counts.
struct DefaultClass {
  void Add(object::Document& document) {
    if (!scheduling::PriorityClass(document).global_default()) return;
    Class read(document);
    if (!found || read.value < found->value) found = std::move(read);
  }
  std::optional<Class> found;
};

class Priority final : public AdmissionPlugin {
 public:
  Priority(ResourceStorage* classes, bool for_pod_groups)
      : classes_(classes), default_(classes), for_pod_groups_(for_pod_groups) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (WritesPod(request)) return Updates(request) ? Keep(request) : SetPriority(request);
    if (for_pod_groups_ && Creates(request) && IsWholly(request, kGroup, "podgroups")) {
      return SetGroupPriority(request);
    }
    return {};
  }

  Result<void> Validate(AdmissionRequest& request) override {
    if (request.object == nullptr || !IsWholly(request, kGroup, "priorityclasses")) return {};
    const object::Value* is_default = request.object->root().Find("globalDefault");
    if (is_default == nullptr || !is_default->AsBool()) return {};
    const std::shared_ptr<const DefaultClass> other = default_.Get();
    if (!other->found) return {};
    if (Updates(request) && other->found->name == request.name) return {};
    return Deny(request, "PriorityClass " + other->found->name +
                             " is already marked as default. Only one default can exist");
  }

 private:
  // A client that does not know the fields does not lose them.
  static Result<void> Keep(AdmissionRequest& request) {
    const core::PodSpec before = core::Pod(*request.old).spec();
    const core::PodSpec after = core::Pod(*request.object).spec();
    auto spec = core::MutablePod(*request.object).mutable_spec();
    const bool lost_priority = !after.priority() && before.priority();
    const bool lost_policy = !after.preemption_policy() && before.preemption_policy();
    if (lost_priority) spec.set_priority(*before.priority());
    if (lost_policy) spec.set_preemption_policy(*before.preemption_policy());
    return {};
  }

  Result<std::shared_ptr<const Class>> Resolve(const AdmissionRequest& request,
                                               std::string_view name) {
    if (name.empty()) {
      const std::shared_ptr<const DefaultClass> known = default_.Get();
      static const auto kNone = std::make_shared<const Class>();
      if (!known->found) return kNone;
      return std::shared_ptr<const Class>(known, &*known->found);
    }
    if (auto found = classes_.Find("", name)) return found;
    if (request.awaited != nullptr && classes_.storage() != nullptr) {
      *request.awaited = {classes_.storage(), "", std::string(name)};
    }
    return Deny(request, "no PriorityClass with name " + std::string(name) + " was found");
  }

  Result<void> SetPriority(AdmissionRequest& request) {
    const core::PodSpec spec = core::Pod(*request.object).spec();
    SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const Class> found,
                           Resolve(request, spec.priority_class_name()));
    constexpr std::string_view kComputed =
        ") must not be provided in pod spec; priority admission controller computed ";
    constexpr std::string_view kFrom = " from the given PriorityClass name";
    if (spec.priority() && *spec.priority() != found->value) {
      return Deny(request, "the integer value of priority (" + std::to_string(*spec.priority()) +
                               std::string(kComputed) + std::to_string(found->value) +
                               std::string(kFrom));
    }
    if (found->preemption_policy && spec.preemption_policy() &&
        *spec.preemption_policy() != *found->preemption_policy) {
      return Deny(request, "the string value of PreemptionPolicy (" +
                               std::string(*spec.preemption_policy()) + std::string(kComputed) +
                               *found->preemption_policy + std::string(kFrom));
    }
    const bool gets_name = spec.priority_class_name().empty() && !found->name.empty();
    auto changed = core::MutablePod(*request.object).mutable_spec();
    if (gets_name) changed.set_priority_class_name(found->name);
    changed.set_priority(found->value);
    if (found->preemption_policy) changed.set_preemption_policy(*found->preemption_policy);
    return {};
  }

  Result<void> SetGroupPriority(AdmissionRequest& request) {
    object::Value* spec = request.object->root().Find("spec");
    if (spec == nullptr) return {};
    const object::Value* name = spec->Find("priorityClassName");
    SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const Class> found,
                           Resolve(request, name != nullptr ? name->AsText() : ""));
    const object::Value* given = spec->Find("priority");
    if (given != nullptr && given->AsInt() != found->value) {
      return Deny(request, "priority set in the pod group (" + std::to_string(given->AsInt()) +
                               ") must match the priority computed (" +
                               std::to_string(found->value) +
                               ") based on the priority class set in the spec");
    }
    Arena& arena = request.object->arena();
    spec->Set(arena, "priority", object::Value::Int(found->value));
    if (name == nullptr && !found->name.empty()) {
      spec->Set(arena, "priorityClassName", object::Value::String(found->name).CopyInto(arena));
    }
    return {};
  }

  Remembered<Class> classes_;
  Summary<DefaultClass> default_;
  bool for_pod_groups_;
};

}  // namespace

MadePlugin MakePriority(const PluginContext& context, std::string_view) {
  return std::make_unique<Priority>(StorageOf(context, kGroup, "priorityclasses"),
                                    context.FeatureEnabled("WorkloadAwarePreemption"));
}

}  // namespace skiff::apiserver
