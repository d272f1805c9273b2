#include "apiserver/registry/scheduling/workload.h"

#include "apiserver/registry/scheduling/pod_group_fields.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace scheduling = views::scheduling_k8s_io_v1alpha2;

constexpr size_t kMaxTemplates = 8;
constexpr NameFormat kPathSegment{object::IsPathSegmentName, object::CheckPathSegmentName};

void ValidateController(const scheduling::TypedLocalObjectReference& controller,
                        FieldErrors& errors) {
  const auto at = errors.At("controllerRef");
  if (!controller.api_group().empty()) {
    ValidateFormat(kDnsSubdomainFormat, controller.api_group(), "apiGroup", errors);
  }
  ValidateRequiredFormat(kPathSegment, controller.kind(), "kind", errors);
  ValidateRequiredFormat(kPathSegment, controller.name(), "name", errors);
}

void ValidateTemplate(const scheduling::PodGroupTemplate& group, FieldErrors& errors) {
  ValidateRequiredFormat(kDnsLabelFormat, group.name(), "name", errors);
  ValidateSchedulingPolicy(group.scheduling_policy(), errors);
  ValidateSchedulingConstraints(group.scheduling_constraints(), errors);
  ValidateGroupClaims(group.resource_claims(), errors);
  ValidateGroupPriority(group.disruption_mode(), group.priority_class_name(), group.priority(),
                        errors);
}

void ValidateTemplates(const object::ListView<scheduling::PodGroupTemplate>& groups,
                       FieldErrors& errors) {
  if (groups.empty()) return errors.Required("podGroupTemplates");
  if (groups.size() > kMaxTemplates) {
    return errors.TooMany("podGroupTemplates", groups.size(), kMaxTemplates);
  }
  SeenNames names;
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto at = errors.At("podGroupTemplates", i);
    if (!names.Add(groups[i].name())) errors.Duplicate("", ShownValue(groups[i].AsValue()));
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto at = errors.At("podGroupTemplates", i);
    ValidateTemplate(groups[i], errors);
  }
}

void ValidateWorkload(const object::Document& object, FieldErrors& errors) {
  const scheduling::WorkloadSpec spec = scheduling::Workload(object).spec();
  const auto at = errors.At("spec");
  if (spec.has_controller_ref()) ValidateController(spec.controller_ref(), errors);
  ValidateTemplates(spec.pod_group_templates(), errors);
}

void ValidateWorkloadUpdate(const object::Document& object, const object::Document& old,
                            FieldErrors& errors) {
  using Spec = scheduling::WorkloadSpec;
  const object::Value* now = object.root().Member(scheduling::Workload::kSpec);
  const object::Value* before = old.root().Member(scheduling::Workload::kSpec);
  const auto member = [](const object::Value* spec, uint16_t field) {
    return spec != nullptr ? spec->Member(field) : nullptr;
  };
  const auto at = errors.At("spec");
  ValidateImmutable(member(before, Spec::kControllerRef), member(now, Spec::kControllerRef),
                    "controllerRef", errors);
  ValidateImmutable(member(before, Spec::kPodGroupTemplates), member(now, Spec::kPodGroupTemplates),
                    "podGroupTemplates", errors);
}

}  // namespace

constinit const KindRules kWorkloadRules = {.group = "scheduling.k8s.io",
                                            .kind = "Workload",
                                            .create = ValidateWorkload,
                                            .update = ValidateWorkloadUpdate};

}  // namespace skiff::apiserver
