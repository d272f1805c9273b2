// The rules of a PodGroup.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kPodGroupRules;

}  // namespace skiff
