// Keeps an RbacPolicy in step with the four watch caches of RBAC's kinds.
#pragma once

#include <functional>

#include "apiserver/authz/cache_follower.h"
#include "apiserver/authz/rbac_policy.h"
#include "store/cache/resource_cache.h"

namespace skiff::apiserver {

class RbacFollower final : private FollowedState {
 public:
  struct Caches {
    store::ResourceCache* roles;
    store::ResourceCache* cluster_roles;
    store::ResourceCache* role_bindings;
    store::ResourceCache* cluster_role_bindings;
  };

  // For schedule() and all that follows see CacheFollower.
  RbacFollower(RbacPolicy& policy, const Caches& caches, std::function<void()> schedule);

  void Start() { follower_.Start(); }
  void Run() { follower_.Run(); }
  void Tick() { follower_.Tick(); }
  bool synced() const { return follower_.synced(); }

 private:
  bool Put(size_t feed, const store::CacheEntry& entry) override;
  void Remove(size_t feed, std::string_view name_space, std::string_view name) override;

  RbacPolicy& policy_;
  CacheFollower follower_;
};

}  // namespace skiff::apiserver
