// The rules of a PriorityClass: its value, and who may have the highest.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPriorityClassRules;

}  // namespace skiff::apiserver
