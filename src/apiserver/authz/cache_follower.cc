#include "apiserver/authz/cache_follower.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "object/json/decode.h"
#include "object/protobuf/envelope.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kItemsAtOnce = 256;

}  // namespace

// What threads of the caches hand to the owner's. Outlives the follower while a watch is asked for.
struct CacheFollower::Inbox {
  struct Slot {
    std::optional<Result<std::unique_ptr<store::Watcher>>> begun = {};
    std::atomic<bool> synced = false;
  };
  explicit Inbox(size_t count) : slots(count) {}

  std::mutex mutex;
  bool closed = false;
  std::vector<Slot> slots;
  std::function<void()> schedule;

  // Under the lock, so that it is not called once the follower is gone.
  void Schedule() {
    const std::lock_guard lock(mutex);
    if (!closed) schedule();
  }
};

CacheFollower::CacheFollower(FollowedState& state, std::vector<FollowedCache> caches,
                             std::function<void()> schedule)
    : state_(state), inbox_(std::make_shared<Inbox>(caches.size())) {
  for (FollowedCache& each : caches) {
    inbox_->slots[feeds_.size()].synced = each.cache == nullptr;
    feeds_.push_back(Feed{feeds_.size(), std::move(each)});
  }
  inbox_->schedule = std::move(schedule);
}

CacheFollower::~CacheFollower() {
  std::vector<std::optional<Result<std::unique_ptr<store::Watcher>>>> unused;
  {
    const std::lock_guard lock(inbox_->mutex);
    inbox_->closed = true;
    for (Inbox::Slot& slot : inbox_->slots) unused.push_back(std::exchange(slot.begun, {}));
  }
  for (Feed& feed : feeds_) feed.watcher.reset();
}

void CacheFollower::Tick() {
  for (Feed& feed : feeds_) {
    if (feed.of.cache != nullptr && feed.watcher == nullptr && !feed.starting) Begin(feed);
  }
}

void CacheFollower::Begin(Feed& feed) {
  feed.starting = true;
  feed.initial = true;
  feed.fresh.clear();
  store::CacheWatchRequest request;
  // Any state will do for a beginning, since what follows is told. The newest could not be had from
  // a store that does not tell its progress, such as an old etcd.
  request.resource_version = "0";
  request.resource_version_match = "NotOlderThan";
  request.send_initial_events = true;
  request.allow_bookmarks = true;
  request.without_damaged = true;
  request.selection.fields = feed.of.fields;
  request.wake = [inbox = inbox_] { inbox->Schedule(); };
  feed.of.cache->Watch(std::move(request), [inbox = inbox_, index = feed.index](
                                               Result<std::unique_ptr<store::Watcher>> watcher) {
    {
      const std::lock_guard lock(inbox->mutex);
      if (inbox->closed) return;
      inbox->slots[index].begun = std::move(watcher);
    }
    inbox->Schedule();
  });
}

void CacheFollower::Receive() {
  for (Feed& feed : feeds_) {
    std::optional<Result<std::unique_ptr<store::Watcher>>> begun;
    {
      const std::lock_guard lock(inbox_->mutex);
      begun.swap(inbox_->slots[feed.index].begun);
    }
    if (!begun) continue;
    feed.starting = false;
    if (*begun) feed.watcher = std::move(**begun);
  }
}

void CacheFollower::Run() {
  Receive();
  for (Feed& feed : feeds_) {
    if (feed.watcher != nullptr) Drain(feed);
  }
}

void CacheFollower::Drain(Feed& feed) {
  std::vector<store::WatchItem> items;
  store::Watcher::Progress progress = store::Watcher::Progress::kMore;
  while (progress == store::Watcher::Progress::kMore) {
    items.clear();
    progress = feed.watcher->Take(kItemsAtOnce, items);
    for (const store::WatchItem& item : items) Apply(feed, item);
  }
  if (progress == store::Watcher::Progress::kEnded) feed.watcher.reset();
}

void CacheFollower::Apply(Feed& feed, const store::WatchItem& item) {
  if (item.type == store::EventType::kBookmark) {
    if (!item.event->initial_end() || !feed.initial) return;
    feed.initial = false;
    for (const std::string& key : std::vector<std::string>(feed.known.begin(), feed.known.end())) {
      if (!feed.fresh.contains(key)) Remove(feed, key);
    }
    feed.fresh.clear();
    inbox_->slots[feed.index].synced.store(true, std::memory_order_release);
    return;
  }
  const store::CacheEntry* entry = item.event->Object(item.type);
  if (item.type == store::EventType::kDeleted) {
    Remove(feed, std::string(entry->key()));
  } else {
    Put(feed, *entry);
  }
}

void CacheFollower::Put(Feed& feed, const store::CacheEntry& entry) {
  const std::string key(entry.key());
  if (feed.initial) feed.fresh.insert(key);
  if (state_.Put(feed.index, entry)) {
    feed.known.insert(key);
  } else {
    Remove(feed, key);
  }
}

void CacheFollower::Remove(Feed& feed, const std::string& key) {
  const size_t slash = key.find('/');
  const bool is_namespaced = slash != key.npos;
  state_.Remove(feed.index, is_namespaced ? std::string_view(key).substr(0, slash) : "",
                std::string_view(key).substr(is_namespaced ? slash + 1 : 0));
  feed.known.erase(key);
}

bool CacheFollower::synced() const {
  for (const Inbox::Slot& slot : inbox_->slots) {
    if (!slot.synced.load(std::memory_order_acquire)) return false;
  }
  return true;
}

Result<object::Document> DecodeEntry(std::string_view stored) {
  if (object::HasProtobufPrefix(stored)) {
    return object::DecodeStorage(stored, object::ProtobufDecodeOptions{.trusts_field_sets = true});
  }
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(stored));
  return object::DecodeJson(stored, object::FindKind(meta.api_version, meta.kind));
}

}  // namespace skiff::apiserver
