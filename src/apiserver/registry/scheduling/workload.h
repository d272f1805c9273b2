// The rules of a Workload: the groups of pods that it has.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kWorkloadRules;

}  // namespace skiff::apiserver
