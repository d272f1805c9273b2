// Annotations and labels that once were, or stood for, something else.
#pragma once

#include <string_view>

namespace skiff {

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

}  // namespace skiff
