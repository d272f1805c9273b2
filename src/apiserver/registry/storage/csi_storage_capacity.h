// The rules of a CSIStorageCapacity: how much room there is, and where.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kCSIStorageCapacityRules;

}  // namespace skiff::apiserver
