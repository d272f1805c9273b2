// The rules of scheduling.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kPriorityClassRules;
extern const KindRules kWorkloadRules;
extern const KindRules kPodGroupRules;

std::span<const KindRules> SchedulingRules();

}  // namespace skiff
