// The rules of a DeviceTaintRule: which devices it taints, and how.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kDeviceTaintRuleRules;

}  // namespace skiff::apiserver
