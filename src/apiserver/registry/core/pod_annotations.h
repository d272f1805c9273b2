// Annotations that mean something to pods.
#pragma once

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

inline constexpr std::string_view kMirrorPodAnnotation = "kubernetes.io/config.mirror";
inline constexpr std::string_view kDeletionCostAnnotation =
    "controller.kubernetes.io/pod-deletion-cost";
inline constexpr std::string_view kSeccompPodAnnotation =
    "seccomp.security.alpha.kubernetes.io/pod";
inline constexpr std::string_view kSeccompContainerAnnotationPrefix =
    "container.seccomp.security.alpha.kubernetes.io/";
inline constexpr std::string_view kAppArmorAnnotationPrefix =
    "container.apparmor.security.beta.kubernetes.io/";

// The pod stands for one that a node made by itself.
bool IsMirrorPod(const views::meta_v1::ObjectMeta& meta);
bool HasValidDeletionCost(const views::meta_v1::ObjectMeta& meta);

// At the annotations.
void ValidatePodAnnotations(const views::meta_v1::ObjectMeta& meta,
                            const views::core_v1::PodSpec& spec, const PodOptions& options,
                            FieldErrors& errors);
// Those that may not change.
void ValidatePodAnnotationsUpdate(const views::meta_v1::ObjectMeta& meta,
                                  const views::meta_v1::ObjectMeta& old, FieldErrors& errors);
// Fields say the same as annotations that say it too. At the spec.
void ValidateProfilesOfAnnotations(const views::meta_v1::ObjectMeta& meta,
                                   const views::core_v1::PodSpec& spec, FieldErrors& errors);

}  // namespace skiff::apiserver
