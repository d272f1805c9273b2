#include "apiserver/registry/scheduling/pod_group.h"

#include <algorithm>

#include "apiserver/registry/scheduling/pod_group_fields.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace scheduling = views::scheduling_k8s_io_v1alpha2;

constexpr size_t kMaxClaims = 4;

void ValidateTemplateRef(const scheduling::PodGroupTemplateReference& reference,
                         FieldErrors& errors) {
  const auto at = errors.At("podGroupTemplateRef");
  if (!reference.has_workload()) return errors.Invalid("", "", "must specify one of: `workload`");
  const auto workload = errors.At("workload");
  ValidateRequiredFormat(kDnsSubdomainFormat, reference.workload().workload_name(), "workloadName",
                         errors);
  ValidateRequiredFormat(kDnsLabelFormat, reference.workload().pod_group_template_name(),
                         "podGroupTemplateName", errors);
}

void ValidatePodGroup(const object::Document& object, FieldErrors& errors) {
  const scheduling::PodGroupSpec spec = scheduling::PodGroup(object).spec();
  const auto at = errors.At("spec");
  if (spec.has_pod_group_template_ref()) {
    ValidateTemplateRef(spec.pod_group_template_ref(), errors);
  }
  ValidateSchedulingPolicy(spec.scheduling_policy(), errors);
  ValidateSchedulingConstraints(spec.scheduling_constraints(), errors);
  ValidateGroupClaims(spec.resource_claims(), errors);
  ValidateGroupPriority(spec.disruption_mode(), spec.priority_class_name(), spec.priority(),
                        errors);
}

void ValidatePodGroupUpdate(const object::Document& object, const object::Document& old,
                            FieldErrors& errors) {
  const object::Value* now = object.root().Member(scheduling::PodGroup::kSpec);
  const object::Value* before = old.root().Member(scheduling::PodGroup::kSpec);
  const auto at = errors.At("spec");
  for (const std::string_view field :
       {"podGroupTemplateRef", "schedulingPolicy", "schedulingConstraints", "resourceClaims",
        "disruptionMode", "priorityClassName", "priority"}) {
    ValidateImmutable(before != nullptr ? before->Find(field) : nullptr,
                      now != nullptr ? now->Find(field) : nullptr, field, errors);
  }
}

void ValidatePodGroupStatus(const object::Document& object, const object::Document&,
                            FieldErrors& errors) {
  const scheduling::PodGroup group(object);
  const auto statuses = group.status().resource_claim_statuses();
  const auto claims = group.spec().resource_claims();
  const auto at = errors.At("status");
  ValidateConditions(group.status().conditions(), "conditions", errors);
  SeenNames claim_names;
  for (const auto claim : claims) claim_names.Add(claim.name());
  for (size_t i = 0; i < statuses.size(); ++i) {
    const auto item = errors.At("resourceClaimStatuses", i);
    if (!claim_names.Has(statuses[i].name())) {
      errors.Invalid("name", statuses[i].name(),
                     "must match the name of an entry in `spec.resourceClaims`");
    }
  }
  if (statuses.size() > kMaxClaims) {
    return errors.TooMany("resourceClaimStatuses", statuses.size(), kMaxClaims);
  }
  SeenNames names;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const auto item = errors.At("resourceClaimStatuses", i);
    if (!names.Add(statuses[i].name())) errors.Duplicate("", ShownValue(statuses[i].AsValue()));
    if (const auto name = statuses[i].resource_claim_name()) {
      ValidateFormat(kDnsSubdomainFormat, *name, "resourceClaimName", errors);
    }
  }
}

}  // namespace

constinit const KindRules kPodGroupRules = {.group = "scheduling.k8s.io",
                                            .kind = "PodGroup",
                                            .create = ValidatePodGroup,
                                            .update = ValidatePodGroupUpdate,
                                            .status = ValidatePodGroupStatus};

}  // namespace skiff::apiserver
