#include "apiserver/registry/rbac/rules.h"

namespace skiff {

std::span<const KindRules> RbacRules() {
  static const KindRules kRules[] = {
      kRoleRules,
      kClusterRoleRules,
      kRoleBindingRules,
      kClusterRoleBindingRules,
  };
  return kRules;
}

}  // namespace skiff
