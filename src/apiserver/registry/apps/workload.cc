#include "apiserver/registry/apps/workload.h"

#include <string>

#include "apiserver/registry/core/pod_spec.h"
#include "apiserver/validation/common.h"
#include "object/selector/label_selector.h"

namespace skiff::apiserver {

void ValidateSelectsSomething(const views::meta_v1::LabelSelector& selector, std::string_view kind,
                              FieldErrors& errors) {
  if (!selector.match_labels().empty() || !selector.match_expressions().empty()) return;
  errors.Invalid("selector", selector.AsValue(),
                 "empty selector is invalid for " + std::string(kind));
}

void ValidateWorkloadSelector(const views::meta_v1::LabelSelector& selector, std::string_view kind,
                              FieldErrors& errors) {
  if (selector.AsValue() == nullptr) return errors.Required("selector");
  {
    const auto at = errors.At("selector");
    ValidateLabelSelector(selector, {}, errors);
  }
  ValidateSelectsSomething(selector, kind, errors);
}

bool ValidateTemplateIsSelected(const views::meta_v1::LabelSelector& selector,
                                const views::core_v1::PodTemplateSpec& pod, FieldErrors& errors) {
  const Result<object::LabelSelector> parsed = object::LabelSelector::FromValue(selector.AsValue());
  if (!parsed) return false;
  const object::Value* metadata = pod.metadata().AsValue();
  const object::Value* labels = metadata != nullptr ? metadata->Find("labels") : nullptr;
  if (!parsed->empty() && !parsed->Matches(labels)) {
    errors.Invalid("template.metadata.labels", labels,
                   "`selector` does not match template `labels`");
  }
  return true;
}

void ValidateRunsForEver(const views::core_v1::PodTemplateSpec& pod, std::string_view kind,
                         FieldErrors& errors) {
  ValidateOneOf(pod.spec().restart_policy(), {"Always"}, "template.spec.restartPolicy", errors);
  if (pod.spec().active_deadline_seconds()) {
    errors.Forbidden("template.spec.activeDeadlineSeconds",
                     "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
  }
}

void ValidateTemplate(const views::core_v1::PodTemplateSpec& pod,
                      const views::core_v1::PodTemplateSpec* old, FieldErrors& errors) {
  const auto at = errors.At("template");
  if (old == nullptr) return ValidatePodTemplate(pod, errors);
  ValidatePodTemplate(pod, *old, errors);
}

void ValidateReplicaTemplate(const views::meta_v1::LabelSelector& selector,
                             const views::core_v1::PodTemplateSpec& pod,
                             const views::core_v1::PodTemplateSpec* old, FieldErrors& errors) {
  // Kubernetes says so of ReplicaSets too.
  ValidateWorkloadSelector(selector, "deployment", errors);
  if (!ValidateTemplateIsSelected(selector, pod, errors)) {
    errors.Invalid("selector", selector.AsValue(), "invalid label selector");
    return;
  }
  ValidateTemplate(pod, old, errors);
  ValidateRunsForEver(pod, "ReplicaSet", errors);
}

int64_t NumberOf(const object::IntOrStringValue& value) {
  return value.is_string ? PercentOf(value).value_or(0) : value.number;
}

void ValidateNotDecremented(std::optional<int32_t> old, std::optional<int32_t> now,
                            std::string_view field, FieldErrors& errors) {
  if (!old || (now && *now >= *old)) return;
  errors.Invalid(field, now.value_or(0), "cannot be decremented");
}

void ValidateNotMore(const Count& part, const Count& whole, std::string_view name,
                     FieldErrors& errors) {
  if (part.number <= whole.number) return;
  errors.Invalid(part.field, part.number, "cannot be greater than " + std::string(name));
}

}  // namespace skiff::apiserver
