// The rules of a Node: its taints, addresses, resources and configuration.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kNodeRules;

}  // namespace skiff::apiserver
