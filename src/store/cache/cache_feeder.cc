#include "store/cache/cache_feeder.h"

#include <utility>

#include "base/limits.h"
#include "store/cache/freshness.h"

namespace skiff::store {
namespace {

Status Stopped() { return Status(StatusReason::kServiceUnavailable, "the cache is stopping"); }

}  // namespace

CacheFeeder::CacheFeeder(Store& store, Clock& clock, std::shared_ptr<CacheState> state,
                         EntryBuilder maker)
    : store_(store), clock_(clock), state_(std::move(state)), maker_(std::move(maker)) {}

void CacheFeeder::Start(StoreCallback<Revision> loaded) {
  bool stopped = false;
  {
    std::lock_guard lock(mutex_);
    stopped = stage_ == Stage::kStopped;
    if (!stopped) {
      on_loaded_ = std::move(loaded);
      stage_ = Stage::kLoading;
    }
  }
  if (stopped) return loaded(std::unexpected(Stopped()));
  Load();
}

void CacheFeeder::Stop() {
  StoreCallback<Revision> never_loaded;
  {
    std::lock_guard lock(mutex_);
    stage_ = Stage::kStopped;
    stopped_.store(true, std::memory_order_release);
    never_loaded = std::move(on_loaded_);
    on_loaded_ = nullptr;
  }
  DropWatch();
  if (never_loaded) never_loaded(std::unexpected(Stopped()));
}

void CacheFeeder::Tick(Duration now) {
  {
    std::lock_guard lock(mutex_);
    if (stage_ != Stage::kLost || now < retry_at_) return;
    stage_ = Stage::kLoading;
  }
  DropWatch();
  Load();
}

void CacheFeeder::Load() {
  loading_.clear();
  loading_damage_.clear();
  store_.Scan(KeyRange::Prefix(maker_.prefix()), this,
              [self = shared_from_this()](Result<Revision> revision) {
                self->Loaded(std::move(revision));
              });
}

void CacheFeeder::OnEntries(std::vector<KeyValue> entries) {
  for (const KeyValue& stored : entries) {
    if (stopped_.load(std::memory_order_acquire)) return;
    loading_.push_back(maker_.Make(stored));
  }
}

bool CacheFeeder::OnDamage(const KeyRange& where, const Status& why) {
  const std::string& prefix = maker_.prefix();
  const auto without_prefix = [&](const std::string& key) {
    return key.starts_with(prefix) ? key.substr(prefix.size()) : std::string();
  };
  // A stretch may begin or end beyond the keys of this resource.
  loading_damage_.push_back({{without_prefix(where.start), without_prefix(where.end)}, why});
  return true;
}

std::string CacheFeeder::fault() const {
  std::lock_guard lock(mutex_);
  return fault_;
}

void CacheFeeder::Loaded(Result<Revision> revision) {
  std::vector<EntryRef> entries = std::exchange(loading_, {});
  std::vector<CacheDamage> damage = std::exchange(loading_damage_, {});
  StoreCallback<Revision> on_loaded;
  std::vector<FreshnessQueue::Due> due;
  {
    std::lock_guard lock(mutex_);
    if (stage_ != Stage::kLoading) return;
    fault_ = revision ? "" : revision.error().message();
    if (!revision) {
      stage_ = Stage::kLost;
      retry_at_ = clock_.Monotonic() + limits::kCacheRetryInterval;
      return;
    }
    on_loaded = std::exchange(on_loaded_, nullptr);
  }
  // Nobody follows the store now, so the state may be replaced in peace.
  state_->Replace(std::move(entries), std::move(damage), *revision, clock_.Monotonic(), due);
  Follow(Revision{revision->value + 1});
  RequestProgress();
  Call(due);
  if (on_loaded) on_loaded(revision);
}

void CacheFeeder::Follow(Revision from) {
  {
    std::lock_guard lock(mutex_);
    if (stage_ != Stage::kLoading) return;
    stage_ = Stage::kFollowing;
    busy_ = true;
  }
  // Without the lock: it may call in before it returns.
  std::unique_ptr<Watch> watch =
      store_.StartWatch({.range = KeyRange::Prefix(maker_.prefix()), .from = from}, this);
  std::lock_guard lock(mutex_);
  watch_ = std::move(watch);
  busy_ = false;
  idle_.notify_all();
}

void CacheFeeder::OnEvents(std::span<const Event> events) {
  std::vector<CacheChange> changes;
  changes.reserve(events.size());
  for (const Event& event : events) {
    const bool deleted = event.kind == Event::Kind::kDelete;
    changes.push_back({.key = maker_.KeyOf(event.entry),
                       .entry = deleted ? EntryRef() : maker_.Make(event.entry),
                       .revision = event.revision()});
  }
  std::vector<EventRef> published;
  std::vector<FreshnessQueue::Due> due;
  const bool mends = state_->IsDamaged(changes);
  {
    WatcherRegistry& watchers = state_->watchers();
    std::lock_guard lock(watchers.mutex());
    const uint64_t first = state_->Apply(changes, clock_.Monotonic(), published, due);
    watchers.Publish(published, first, state_->shape());
  }
  Call(due);
  // What the object was before nobody can be told, so that those who know it must look anew.
  if (mends) Lose(WatchExpired(), Duration{0});
}

void CacheFeeder::OnProgress(Revision revision) {
  caught_up_.store(true, std::memory_order_release);
  Advance(revision);
}

void CacheFeeder::Advance(Revision revision) {
  std::vector<FreshnessQueue::Due> due;
  state_->Advance(revision, due);
  Call(due);
}

void CacheFeeder::OnEnd(Status why) {
  const bool expired = why.reason() == StatusReason::kExpired;
  Lose(expired ? WatchExpired() : why,
       clock_.Monotonic() + (expired ? Duration{0} : limits::kCacheRetryInterval));
}

void CacheFeeder::Lose(const Status& why, Duration retry_at) {
  caught_up_.store(false, std::memory_order_release);
  {
    // Their place in history is gone: the next state may lack changes that they were not told of.
    std::lock_guard lock(state_->watchers().mutex());
    state_->Suspend();
    state_->watchers().EndAll(why);
  }
  std::lock_guard lock(mutex_);
  if (stage_ != Stage::kFollowing) return;
  stage_ = Stage::kLost;
  retry_at_ = retry_at;
}

void CacheFeeder::RequestProgress() {
  std::unique_lock lock(mutex_);
  if (watch_ == nullptr) return;
  if (busy_) {
    request_again_ = true;  // what is under way may have begun too early for this one
    return;
  }
  busy_ = true;
  do {
    request_again_ = false;
    lock.unlock();
    watch_->RequestProgress();  // without the lock: it may call in before it returns
    lock.lock();
  } while (request_again_);
  busy_ = false;
  idle_.notify_all();
}

void CacheFeeder::DropWatch() {
  std::unique_ptr<Watch> watch;
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return !busy_; });
  watch.swap(watch_);
  lock.unlock();  // its destruction waits for calls that may want the lock
}

}  // namespace skiff::store
