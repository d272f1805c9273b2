// The resources of a whole pod, from those of its containers.
//
// Containers run side by side, so theirs add up; before them the init containers run one after
// another, of which the greediest counts; those that stay (restartPolicy Always) run beside all
// that come after them. What is said for the pod itself takes the place of the sum.
#pragma once

#include "quota/resource_list.h"
#include "views/core/v1.h"

namespace skiff::quota {

struct PodResourceOptions {
  // Of a container that is being resized, the greater of what it has and what it shall have.
  bool with_status = false;
  bool with_overhead = false;
  // Pods may be given hugepages as a whole, beside cpu and memory.
  bool pod_level_hugepages = false;
};

ResourceList PodRequests(const views::core_v1::Pod& pod, const PodResourceOptions& options);
ResourceList PodLimits(const views::core_v1::Pod& pod, const PodResourceOptions& options);

// Whether the pod as a whole has resources that it may have.
bool HasPodLevelResources(const views::core_v1::Pod& pod);

// Nobody asked for any cpu or memory for it.
bool IsBestEffort(const views::core_v1::Pod& pod);

}  // namespace skiff::quota
