// The rules of a PodGroup.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPodGroupRules;

}  // namespace skiff::apiserver
