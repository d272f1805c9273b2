// Keeps an RbacPolicy in step with the four watch caches of RBAC's kinds.
//
// Each kind is followed by a watch that begins with the state. When a watch ends (its cache was
// loaded anew, or the follower fell too far behind) it is begun again, and what is not in the new
// state any more is taken out of the policy only then: decisions never see a half-loaded state.
//
// Owner: the API server, which outlives it with the caches and the policy. Run() and Tick() are the
// owner's, one at a time; Start() and the destructor too.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "apiserver/authz/rbac_policy.h"
#include "store/cache/resource_cache.h"

namespace skiff {

class RbacFollower {
 public:
  struct Caches {
    ResourceCache* roles;
    ResourceCache* cluster_roles;
    ResourceCache* role_bindings;
    ResourceCache* cluster_role_bindings;
  };

  // schedule() is called on any thread, under locks of the caches too, whenever Run() would find
  // something: it must see to it that Run() is called soon, and not call it itself.
  RbacFollower(RbacPolicy& policy, const Caches& caches, std::function<void()> schedule);
  ~RbacFollower();
  RbacFollower(const RbacFollower&) = delete;
  RbacFollower& operator=(const RbacFollower&) = delete;

  void Start();
  // Brings the policy up to what the caches have told.
  void Run();
  // To be called every limits::kCacheRetryInterval or so: watches that have ended begin again.
  void Tick();

  // Whether the whole state of all four kinds has been seen once. Any thread.
  bool synced() const;

 private:
  struct Inbox;
  struct Feed {
    RbacKind kind;
    ResourceCache* cache;
    std::unique_ptr<Watcher> watcher = nullptr;
    bool starting = false;             // a watch has been asked for
    bool initial = true;               // the state is still coming
    std::set<std::string> known = {};  // keys in the policy
    std::set<std::string> fresh = {};  // keys of the state that is coming
  };

  void Begin(size_t index);
  void Receive();
  void Drain(Feed& feed, size_t index);
  void Apply(Feed& feed, size_t index, const WatchItem& item);
  void Put(Feed& feed, const CacheEntry& entry);
  void Remove(Feed& feed, const std::string& key);

  RbacPolicy& policy_;
  std::array<Feed, 4> feeds_;
  std::shared_ptr<Inbox> inbox_;
};

}  // namespace skiff
