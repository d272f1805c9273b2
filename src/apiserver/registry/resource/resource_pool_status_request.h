// The rules of a ResourcePoolStatusRequest.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kResourcePoolStatusRequestRules;

}  // namespace skiff::apiserver
