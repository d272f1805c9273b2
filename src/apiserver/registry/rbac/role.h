// The rules of a Role and of a ClusterRole.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kRoleRules;
extern const KindRules kClusterRoleRules;

}  // namespace skiff::apiserver
