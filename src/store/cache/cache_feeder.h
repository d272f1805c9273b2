// Keeps the state of one resource's cache equal to the store: loads it with a scan, follows it with
// a watch, and loads it anew when the watch has lost its place.
//
// Owned by ResourceCache, which calls Tick() on its own threads; scans and watches call in on the
// store's. After Stop() nothing calls in any more but a scan under way, which holds the feeder
// alive, changes nothing, and whose entries are not even read: what reads them may refer to what is
// gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "store/cache/cache_state.h"
#include "store/cache/entry_builder.h"
#include "store/store.h"

namespace skiff::store {

class CacheFeeder final : public std::enable_shared_from_this<CacheFeeder>,
                          private ScanSink,
                          private WatchSink {
 public:
  CacheFeeder(Store& store, Clock& clock, std::shared_ptr<CacheState> state, EntryBuilder maker);

  // `loaded` is called once, when the state is served for the first time or will never be: at once
  // after Stop().
  void Start(StoreCallback<Revision> loaded);
  void Stop();
  // Loads anew if that is due.
  void Tick(Duration now);

  // Asks the store how far the state has come.
  void RequestProgress();
  // Whether the watch has caught up with the store since the state was loaded.
  bool caught_up() const { return caught_up_.load(std::memory_order_acquire); }
  // The state has all changes up to this revision.
  void Advance(Revision revision);
  // Why the state could not be loaded when that was last tried; empty if it could.
  std::string fault() const;

 private:
  enum class Stage : uint8_t { kNew, kLoading, kFollowing, kLost, kStopped };

  void OnEntries(std::vector<KeyValue> entries) override;
  bool OnDamage(const KeyRange& where, const Status& why) override;
  void OnEvents(std::span<const Event> events) override;
  void OnProgress(Revision revision) override;
  void OnEnd(Status why) override;

  // Watchers have lost their place in history, and the state is to be loaded anew.
  void Lose(const Status& why, Duration retry_at);
  void Load();
  void Loaded(Result<Revision> revision);
  void Follow(Revision from);
  // Nobody calls the watch, or is called by it, when this returns.
  void DropWatch();
  static void Call(std::vector<FreshnessQueue::Due>& due) {
    for (FreshnessQueue::Due& each : due) each();
  }

  Store& store_;
  Clock& clock_;
  const std::shared_ptr<CacheState> state_;
  std::atomic<bool> caught_up_{false};
  std::atomic<bool> stopped_{false};

  // For whoever calls in: one scan or one watch at a time.
  EntryBuilder maker_;
  std::vector<EntryRef> loading_;
  std::vector<CacheDamage> loading_damage_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  Stage stage_ = Stage::kNew;
  Duration retry_at_{0};
  std::string fault_;
  StoreCallback<Revision> on_loaded_;
  std::unique_ptr<Watch> watch_;
  // A thread is starting the watch or asking it for progress, without the lock. Until it is done
  // nobody else touches watch_.
  bool busy_ = false;
  bool request_again_ = false;  // progress was asked for meanwhile
};

}  // namespace skiff::store
