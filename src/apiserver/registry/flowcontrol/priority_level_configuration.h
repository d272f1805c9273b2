// The rules of a PriorityLevelConfiguration: how many requests it lets run and wait.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPriorityLevelConfigurationRules;

}  // namespace skiff::apiserver
