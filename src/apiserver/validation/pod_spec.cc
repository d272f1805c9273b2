#include "apiserver/validation/pod_spec.h"

namespace skiff {

void ValidatePodTemplate(const views::core_v1::PodTemplateSpec& pod, FieldErrors& errors) {
  const auto spec = errors.At("spec");
  ValidatePodSpec(pod.spec(), pod.metadata(), true, errors);
}

void ValidatePodSpec(const views::core_v1::PodSpec& spec, const views::meta_v1::ObjectMeta&, bool,
                     FieldErrors& errors) {
  if (spec.containers().empty()) errors.Required("containers");
}

}  // namespace skiff
