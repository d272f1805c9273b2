#include "apiserver/authz/rbac_follower.h"

#include <utility>

namespace skiff::apiserver {
namespace {

// In the order in which the follower has them.
constexpr RbacKind kKinds[] = {RbacKind::kRole, RbacKind::kClusterRole, RbacKind::kRoleBinding,
                               RbacKind::kClusterRoleBinding};

}  // namespace

RbacFollower::RbacFollower(RbacPolicy& policy, const Caches& caches, std::function<void()> schedule)
    : policy_(policy),
      follower_(*this,
                {{caches.roles},
                 {caches.cluster_roles},
                 {caches.role_bindings},
                 {caches.cluster_role_bindings}},
                std::move(schedule)) {}

// What cannot be read grants nothing, whatever it granted before.
bool RbacFollower::Put(size_t, const store::CacheEntry& entry) {
  return policy_.PutStored(entry.value().view()).has_value();
}

void RbacFollower::Remove(size_t feed, std::string_view name_space, std::string_view name) {
  policy_.Remove(kKinds[feed], name_space, name);
}

}  // namespace skiff::apiserver
