// The rules of a Lease: who holds it, and for how long.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kLeaseRules;

}  // namespace skiff::apiserver
