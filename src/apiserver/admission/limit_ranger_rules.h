// What one LimitRange says to one object.
#pragma once

#include <string>
#include <vector>

#include "object/value.h"
#include "views/core/v1.h"

namespace skiff {

// Gives the containers of a pod what they lack, and notes that in an annotation.
void ApplyLimitDefaults(const views::core_v1::LimitRange& range, Document& pod);

// What the pod violates, in words; none: nothing.
std::vector<std::string> CheckPodLimits(const views::core_v1::LimitRange& range,
                                        const views::core_v1::Pod& pod);
std::vector<std::string> CheckClaimLimits(const views::core_v1::LimitRange& range,
                                          const views::core_v1::PersistentVolumeClaim& claim);

}  // namespace skiff
