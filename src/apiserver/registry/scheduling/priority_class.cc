#include "apiserver/registry/scheduling/priority_class.h"

#include <string>

#include "apiserver/validation/common.h"
#include "views/scheduling.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace scheduling = views::scheduling_k8s_io_v1;

constexpr std::string_view kSystemPrefix = "system-";
constexpr int32_t kHighestUserPriority = 1000000000;

struct SystemClass {
  std::string_view name;
  int32_t value;
};
constexpr SystemClass kSystemClasses[] = {
    {"system-node-critical", 2000001000},
    {"system-cluster-critical", 2000000000},
};

// Why a class whose name is the system's is none of its classes; empty when it is.
std::string NotOfSystem(const scheduling::PriorityClass& object) {
  const std::string_view name = object.metadata().name();
  for (const SystemClass& each : kSystemClasses) {
    if (each.name != name) continue;
    const std::string text(name);
    if (object.value() != each.value) {
      return "value of " + text + " PriorityClass must be " + std::to_string(each.value);
    }
    if (object.global_default()) {
      return "globalDefault of " + text + " PriorityClass must be false";
    }
    return {};
  }
  return std::string(name) + " is not a known system priority class";
}

void ValidatePriorityClass(const object::Document& object, FieldErrors& errors) {
  const scheduling::PriorityClass priority(object);
  if (priority.metadata().name().starts_with(kSystemPrefix)) {
    if (const std::string why = NotOfSystem(priority); !why.empty()) {
      errors.Forbidden("metadata.name",
                       "priority class names with 'system-' prefix are reserved for system use "
                       "only. error: " +
                           why);
    }
  } else if (priority.value() > kHighestUserPriority) {
    errors.Forbidden("value", "maximum allowed value of a user defined priority is 1000000000");
  }
  const std::optional<std::string_view> policy = priority.preemption_policy();
  if (!policy) return;
  if (policy->empty()) return errors.Required("preemptionPolicy");
  ValidateOneOf(*policy, {"PreemptLowerPriority", "Never"}, "preemptionPolicy", errors);
}

void ValidatePriorityClassUpdate(const object::Document& object, const object::Document& old,
                                 FieldErrors& errors) {
  using Class = scheduling::PriorityClass;
  if (Class(object).value() != Class(old).value()) {
    errors.Forbidden("value", "may not be changed in an update.");
  }
  ValidateImmutable(old.root().Member(Class::kPreemptionPolicy),
                    object.root().Member(Class::kPreemptionPolicy), "preemptionPolicy", errors);
}

}  // namespace

constinit const KindRules kPriorityClassRules = {.group = "scheduling.k8s.io",
                                                 .kind = "PriorityClass",
                                                 .create = ValidatePriorityClass,
                                                 .update = ValidatePriorityClassUpdate};

}  // namespace skiff::apiserver
