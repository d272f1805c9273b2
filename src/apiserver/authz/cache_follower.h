// Keeps something in step with several watch caches.
//
// Each cache is followed by a watch that begins with the state. When a watch ends (its cache was
// loaded anew, or the follower fell too far behind) it is begun again, and what is not in the new
// state any more is taken out only then: whoever looks never sees a half-loaded state.
//
// Owner: the API server, which outlives it with the caches and the state. Run() and Tick() are the
// owner's, one at a time; Start() and the destructor too.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/selector/field_selector.h"
#include "object/value.h"
#include "store/cache/resource_cache.h"

namespace skiff::apiserver {

// What is kept in step. Called by one thread at a time.
class FollowedState {
 public:
  virtual ~FollowedState() = default;
  // False: it cannot be read, and counts as gone.
  virtual bool Put(size_t feed, const store::CacheEntry& entry) = 0;
  virtual void Remove(size_t feed, std::string_view name_space, std::string_view name) = 0;
};

// What one feed tells of: the objects of a cache that the selector takes.
struct FollowedCache {
  store::ResourceCache* cache;  // null: it has nothing
  object::FieldSelector fields = object::FieldSelector::Everything();
};

class CacheFollower {
 public:
  // Feeds are numbered in the order of the caches. schedule() is called on any thread, under locks
  // of the caches too, whenever Run() would find something: it must see to it that Run() is called
  // soon, and not call it itself.
  CacheFollower(FollowedState& state, std::vector<FollowedCache> caches,
                std::function<void()> schedule);
  ~CacheFollower();
  CacheFollower(const CacheFollower&) = delete;
  CacheFollower& operator=(const CacheFollower&) = delete;

  void Start() { Tick(); }
  // Brings the state up to what the caches have told.
  void Run();
  // To be called every limits::kCacheRetryInterval or so: watches that have ended begin again.
  void Tick();

  // Whether the whole state of all caches has been seen once. Any thread.
  bool synced() const;

 private:
  struct Inbox;
  struct Feed {
    size_t index;
    FollowedCache of;
    std::unique_ptr<store::Watcher> watcher = nullptr;
    bool starting = false;             // a watch has been asked for
    bool initial = true;               // the state is still coming
    std::set<std::string> known = {};  // keys that were put
    std::set<std::string> fresh = {};  // keys of the state that is coming
  };

  void Begin(Feed& feed);
  void Receive();
  void Drain(Feed& feed);
  void Apply(Feed& feed, const store::WatchItem& item);
  void Put(Feed& feed, const store::CacheEntry& entry);
  void Remove(Feed& feed, const std::string& key);

  FollowedState& state_;
  std::vector<Feed> feeds_;
  std::shared_ptr<Inbox> inbox_;
};

// A stored object of a built-in kind, in either encoding.
Result<object::Document> DecodeEntry(std::string_view stored);

}  // namespace skiff::apiserver
