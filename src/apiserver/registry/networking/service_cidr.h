// The rules of a ServiceCIDR: its ranges.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kServiceCIDRRules;

}  // namespace skiff::apiserver
