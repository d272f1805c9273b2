// What the workloads of apps have in common: pods that are selected, run for ever, and are counted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/core/pod_warnings.h"
#include "apiserver/validation/field_errors.h"
#include "object/view.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

// A selector must be there and select something. Reports at `selector` below the place; `kind` is
// what messages call the workload.
void ValidateWorkloadSelector(const views::meta_v1::LabelSelector& selector, std::string_view kind,
                              FieldErrors& errors);
void ValidateSelectsSomething(const views::meta_v1::LabelSelector& selector, std::string_view kind,
                              FieldErrors& errors);
// Whether the selector is one at all. What it selects must be the template's pods; reports at
// `template`.
bool ValidateTemplateIsSelected(const views::meta_v1::LabelSelector& selector,
                                const views::core_v1::PodTemplateSpec& pod, FieldErrors& errors);
// Pods of a workload that is never done.
void ValidateRunsForEver(const views::core_v1::PodTemplateSpec& pod, std::string_view kind,
                         FieldErrors& errors);
// The pod of a template, which replaces `old` unless that is null.
void ValidateTemplate(const views::core_v1::PodTemplateSpec& pod,
                      const views::core_v1::PodTemplateSpec* old, FieldErrors& errors);
// A selector and a template, as Deployments and ReplicaSets have them.
void ValidateReplicaTemplate(const views::meta_v1::LabelSelector& selector,
                             const views::core_v1::PodTemplateSpec& pod,
                             const views::core_v1::PodTemplateSpec* old, FieldErrors& errors);

// Of a template whose workload is new or has another generation than `old`.
template <typename Workload>
void WarnAboutTemplate(const object::Document& object, const object::Document* old,
                       std::vector<std::string>& warnings) {
  const Workload workload(object);
  if (old != nullptr &&
      Workload(*old).metadata().generation() == workload.metadata().generation()) {
    return;
  }
  WarnAboutPodTemplate(workload.spec().template_(), "spec.template", warnings);
}
// The same, and of a name that becomes that of pods.
template <typename Workload>
void WarnAboutReplicas(const object::Document& object, const object::Document* old,
                       const KindSettings&, std::vector<std::string>& warnings) {
  if (old == nullptr) WarnAboutNameOfPods(Workload(object).metadata().name(), warnings);
  WarnAboutTemplate<Workload>(object, old, warnings);
}

// The number, or that of the percentage; 0 if it is neither.
int64_t NumberOf(const object::IntOrStringValue& value);

// A counter that a status may not count back, and its value now.
void ValidateNotDecremented(std::optional<int32_t> old, std::optional<int32_t> now,
                            std::string_view field, FieldErrors& errors);
struct Count {
  std::string_view field;
  int64_t number;
};
// FieldValueInvalid when `part` counts more than `whole`, which the message calls `name`.
void ValidateNotMore(const Count& part, const Count& whole, std::string_view name,
                     FieldErrors& errors);

}  // namespace skiff::apiserver
