// Which other objects a pod refers to.
#pragma once

#include <optional>
#include <string>

#include "views/core/v1.h"

namespace skiff {

inline constexpr std::string_view kMirrorPodAnnotation = "kubernetes.io/config.mirror";

// Whether it is the picture of a pod that a node runs on its own.
inline bool IsMirrorPod(const views::core_v1::Pod& pod) {
  return pod.metadata().annotations().Contains(kMirrorPodAnnotation);
}

// Whether the pod names a secret anywhere.
bool RefersToSecrets(const views::core_v1::PodSpec& spec);

// What kind of object the pod refers to, in the words of messages: "secrets (via secret volumes)".
// Nothing when there is none. `fault` is filled when a volume is of no known kind.
std::optional<std::string> FindReference(const views::core_v1::PodSpec& spec, std::string& fault);

}  // namespace skiff
