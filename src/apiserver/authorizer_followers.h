// Keeps authorizers that decide by stored objects in step with them: RBAC with roles and bindings,
// Node with what is on which node. Writes the roles that every cluster has.
//
// Owner: the server. Works on the thread of its background tasks.
#pragma once

#include <atomic>
#include <optional>

#include "apiserver/authz/cache_follower.h"
#include "apiserver/authz/rbac_follower.h"
#include "apiserver/background_tasks.h"
#include "apiserver/rest/storage_set.h"
#include "apiserver/security.h"
#include "apiserver/stored_rbac.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "store/store.h"

namespace skiff::apiserver {

class AuthorizerFollowers {
 public:
  // All of it outlives the followers.
  AuthorizerFollowers(Security& security, const StorageSet& storages, store::Store& store,
                      BackgroundTasks& tasks, Clock& clock, Random& random, Log& log);

  // Before the tasks start, and after they have stopped.
  void Start();
  void Stop();

  // Whether the authorizers know all that is stored, and whether the roles of every cluster are
  // there. Any thread.
  bool roles_ready() const;
  bool nodes_ready() const;

 private:
  void FollowRoles();
  void FollowNodes();
  void EnsureRoles();

  Security& security_;
  const StorageSet& storages_;
  store::Store& store_;
  BackgroundTasks& tasks_;
  Log& log_;
  StoredRbac stored_rbac_;
  std::optional<RbacFollower> roles_;
  std::optional<CacheFollower> nodes_;
  std::atomic<bool> roles_written_{false};
};

}  // namespace skiff::apiserver
