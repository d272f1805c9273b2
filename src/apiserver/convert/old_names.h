// Annotations and labels that once were, or stood for, something else.
#pragma once

#include <string_view>

namespace skiff::apiserver {

inline constexpr std::string_view kInitContainerAnnotations[] = {
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
};
inline constexpr std::string_view kRollbackToAnnotation = "deprecated.deployment.rollback.to";
inline constexpr std::string_view kTemplateGenerationAnnotation =
    "deprecated.daemonset.template.generation";
inline constexpr std::string_view kEmptySelectorMatch =
    "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
// Of autoscalers of version 1, for what only version 2 has fields for.
inline constexpr std::string_view kAutoscalingAnnotations[] = {
    "autoscaling.alpha.kubernetes.io/metrics",
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
};

}  // namespace skiff::apiserver
