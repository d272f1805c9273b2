// The rules of a ReplicationController: its pods, and how many there are.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kReplicationControllerRules;

}  // namespace skiff::apiserver
