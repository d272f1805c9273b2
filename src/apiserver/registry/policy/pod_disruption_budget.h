// The rules of a PodDisruptionBudget: how many pods may be missing, and what its status counts.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPodDisruptionBudgetRules;

}  // namespace skiff::apiserver
