// The rules of a LimitRange: what it bounds, and that its bounds agree.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kLimitRangeRules;

}  // namespace skiff::apiserver
