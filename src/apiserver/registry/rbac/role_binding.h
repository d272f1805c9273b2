// The rules of a RoleBinding and of a ClusterRoleBinding.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kRoleBindingRules;
extern const KindRules kClusterRoleBindingRules;

}  // namespace skiff::apiserver
