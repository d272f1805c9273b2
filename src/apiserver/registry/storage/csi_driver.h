// The rules of a CSIDriver: what a driver can do, and what of that may change.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kCSIDriverRules;

}  // namespace skiff::apiserver
