// What one LimitRange says to one object.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "object/value.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// Gives the containers of a pod what they lack, and notes that in an annotation. Fails if that
// would be more than an object can hold (limits::kMaxDefaultedAmounts).
Result<void> ApplyLimitDefaults(const views::core_v1::LimitRange& range, object::Document& pod);

// What the pod violates, in words; none: nothing. No more than limits::kMaxStatusCauses.
std::vector<std::string> CheckPodLimits(const views::core_v1::LimitRange& range,
                                        const views::core_v1::Pod& pod);
std::vector<std::string> CheckClaimLimits(const views::core_v1::LimitRange& range,
                                          const views::core_v1::PersistentVolumeClaim& claim);

}  // namespace skiff::apiserver
