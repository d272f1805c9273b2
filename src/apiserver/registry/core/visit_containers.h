// Every container of a pod, in the order in which Kubernetes looks at them: those that initialize
// it, its own, and those that were added for debugging.
#pragma once

#include <string_view>

#include "views/core/v1.h"

namespace skiff::apiserver {

// An ephemeral container is a container with one more field at the end.
inline views::core_v1::Container AsContainer(const views::core_v1::EphemeralContainer& container) {
  using Container = views::core_v1::Container;
  using Ephemeral = views::core_v1::EphemeralContainer;
  static_assert(int{Container::kEnv} == int{Ephemeral::kEnv});
  static_assert(int{Container::kRestartPolicyRules} == int{Ephemeral::kRestartPolicyRules});
  static_assert(int{Container::kLifecycle} == int{Ephemeral::kLifecycle});
  static_assert(int{Container::kTty} == int{Ephemeral::kTty});
  return Container(container.AsValue());
}

// Of a container that initializes its pod: it is started again whenever it ends.
inline bool IsSidecar(const views::core_v1::Container& init_container) {
  return init_container.restart_policy().value_or("") == "Always";
}

// visit(container, name of its list, index in it)
template <typename Visit>
void VisitContainers(const views::core_v1::PodSpec& spec, Visit&& visit) {
  size_t index = 0;
  for (const views::core_v1::Container container : spec.init_containers()) {
    visit(container, std::string_view("initContainers"), index++);
  }
  index = 0;
  for (const views::core_v1::Container container : spec.containers()) {
    visit(container, std::string_view("containers"), index++);
  }
  index = 0;
  for (const views::core_v1::EphemeralContainer container : spec.ephemeral_containers()) {
    visit(AsContainer(container), std::string_view("ephemeralContainers"), index++);
  }
}

}  // namespace skiff::apiserver
