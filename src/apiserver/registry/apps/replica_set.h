// The rules of a ReplicaSet: which pods it keeps, and what its status counts.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kReplicaSetRules;

}  // namespace skiff::apiserver
