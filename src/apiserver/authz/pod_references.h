// Which other objects a pod refers to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "views/core/v1.h"

namespace skiff::apiserver {

inline constexpr std::string_view kMirrorPodAnnotation = "kubernetes.io/config.mirror";

// Whether it is the picture of a pod that a node runs on its own.
inline bool IsMirrorPod(const views::core_v1::Pod& pod) {
  return pod.metadata().annotations().Contains(kMirrorPodAnnotation);
}

// Called with a name that is not empty; true ends the visit.
using NameVisitor = std::function<bool(std::string_view name)>;

// The secrets and config maps of the pod's namespace that it names: to pull images, in variables of
// any container, in volumes. A name may come several times. True when the visitor ended it.
bool VisitSecretNames(const views::core_v1::PodSpec& spec, const NameVisitor& visit);
bool VisitConfigMapNames(const views::core_v1::PodSpec& spec, const NameVisitor& visit);

// Whether the pod names a secret anywhere.
bool RefersToSecrets(const views::core_v1::PodSpec& spec);

// What kind of object the pod refers to, in the words of messages: "secrets (via secret volumes)".
// Nothing when there is none. `fault` is filled when a volume is of no known kind.
std::optional<std::string> FindReference(const views::core_v1::PodSpec& spec, std::string& fault);

}  // namespace skiff::apiserver
