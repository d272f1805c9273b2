// The rules of a ResourceSlice: the devices of a driver, and their counters.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kResourceSliceRules;

}  // namespace skiff::apiserver
