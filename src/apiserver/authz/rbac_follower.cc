#include "apiserver/authz/rbac_follower.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace skiff {
namespace {

constexpr size_t kItemsAtOnce = 256;

}  // namespace

// What threads of the caches hand to the owner's. Outlives the follower while a watch is asked for.
struct RbacFollower::Inbox {
  std::mutex mutex;
  bool closed = false;
  std::array<std::optional<Result<std::unique_ptr<Watcher>>>, 4> begun;
  std::array<std::atomic<bool>, 4> synced = {};
  std::function<void()> schedule;

  // Under the lock, so that it is not called once the follower is gone.
  void Schedule() {
    const std::lock_guard lock(mutex);
    if (!closed) schedule();
  }
};

RbacFollower::RbacFollower(RbacPolicy& policy, const Caches& caches, std::function<void()> schedule)
    : policy_(policy),
      feeds_{Feed{RbacKind::kRole, caches.roles},
             Feed{RbacKind::kClusterRole, caches.cluster_roles},
             Feed{RbacKind::kRoleBinding, caches.role_bindings},
             Feed{RbacKind::kClusterRoleBinding, caches.cluster_role_bindings}},
      inbox_(std::make_shared<Inbox>()) {
  inbox_->schedule = std::move(schedule);
}

RbacFollower::~RbacFollower() {
  decltype(inbox_->begun) unused;
  {
    const std::lock_guard lock(inbox_->mutex);
    inbox_->closed = true;
    unused.swap(inbox_->begun);
  }
  for (Feed& feed : feeds_) feed.watcher.reset();
}

void RbacFollower::Start() { Tick(); }

void RbacFollower::Tick() {
  for (size_t i = 0; i < feeds_.size(); ++i) {
    if (feeds_[i].watcher == nullptr && !feeds_[i].starting) Begin(i);
  }
}

void RbacFollower::Begin(size_t index) {
  Feed& feed = feeds_[index];
  feed.starting = true;
  feed.initial = true;
  feed.fresh.clear();
  CacheWatchRequest request;
  // Any state will do for a beginning, since what follows is told. The newest could not be had from
  // a store that does not tell its progress, such as an old etcd.
  request.resource_version = "0";
  request.resource_version_match = "NotOlderThan";
  request.send_initial_events = true;
  request.allow_bookmarks = true;
  request.wake = [inbox = inbox_] { inbox->Schedule(); };
  feed.cache->Watch(std::move(request),
                    [inbox = inbox_, index](Result<std::unique_ptr<Watcher>> watcher) {
                      {
                        const std::lock_guard lock(inbox->mutex);
                        if (inbox->closed) return;
                        inbox->begun[index] = std::move(watcher);
                      }
                      inbox->Schedule();
                    });
}

void RbacFollower::Receive() {
  for (size_t i = 0; i < feeds_.size(); ++i) {
    std::optional<Result<std::unique_ptr<Watcher>>> begun;
    {
      const std::lock_guard lock(inbox_->mutex);
      begun.swap(inbox_->begun[i]);
    }
    if (!begun) continue;
    feeds_[i].starting = false;
    if (*begun) feeds_[i].watcher = std::move(**begun);
  }
}

void RbacFollower::Run() {
  Receive();
  for (size_t i = 0; i < feeds_.size(); ++i) {
    if (feeds_[i].watcher != nullptr) Drain(feeds_[i], i);
  }
}

void RbacFollower::Drain(Feed& feed, size_t index) {
  std::vector<WatchItem> items;
  Watcher::Progress progress = Watcher::Progress::kMore;
  while (progress == Watcher::Progress::kMore) {
    items.clear();
    progress = feed.watcher->Take(kItemsAtOnce, items);
    for (const WatchItem& item : items) Apply(feed, index, item);
  }
  if (progress == Watcher::Progress::kEnded) feed.watcher.reset();
}

void RbacFollower::Apply(Feed& feed, size_t index, const WatchItem& item) {
  if (item.type == EventType::kBookmark) {
    if (!item.event->initial_end() || !feed.initial) return;
    feed.initial = false;
    for (const std::string& key : std::vector<std::string>(feed.known.begin(), feed.known.end())) {
      if (!feed.fresh.contains(key)) Remove(feed, key);
    }
    feed.fresh.clear();
    inbox_->synced[index].store(true, std::memory_order_release);
    return;
  }
  const CacheEntry* entry = item.event->Object(item.type);
  if (item.type == EventType::kDeleted) {
    Remove(feed, std::string(entry->key()));
  } else {
    Put(feed, *entry);
  }
}

void RbacFollower::Put(Feed& feed, const CacheEntry& entry) {
  const std::string key(entry.key());
  if (feed.initial) feed.fresh.insert(key);
  // What cannot be read grants nothing, whatever it granted before.
  if (policy_.PutStored(entry.value().view())) {
    feed.known.insert(key);
  } else {
    Remove(feed, key);
  }
}

void RbacFollower::Remove(Feed& feed, const std::string& key) {
  const size_t slash = key.find('/');
  const bool is_namespaced = slash != key.npos;
  policy_.Remove(feed.kind, is_namespaced ? std::string_view(key).substr(0, slash) : "",
                 std::string_view(key).substr(is_namespaced ? slash + 1 : 0));
  feed.known.erase(key);
}

bool RbacFollower::synced() const {
  for (const std::atomic<bool>& each : inbox_->synced) {
    if (!each.load(std::memory_order_acquire)) return false;
  }
  return true;
}

}  // namespace skiff
