// The rules of rbac.authorization.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kRoleRules;
extern const KindRules kClusterRoleRules;
extern const KindRules kRoleBindingRules;
extern const KindRules kClusterRoleBindingRules;

std::span<const KindRules> RbacRules();

}  // namespace skiff
