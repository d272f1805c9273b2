// One watch on a cache: what its consumer holds and takes events from.
//
// A watcher first goes through the state, if it asked for one, then catches up from the event ring,
// and is live when it has reached its end: from then on the thread that publishes changes puts them
// into the watcher's queue. The queue is short and bounded. When it is full the watcher is no
// longer live; once the queue is drained it catches up from the ring again. Only a watcher that
// stays away for so long that the ring has lost its place ends, with 410. Whatever happens, its
// consumer gets each change once, in order, or is told that it did not.
//
// State and ring are read and filtered on the consumer's thread, so a watch costs the publisher
// nothing until it is live.
//
//   while (true) {
//     switch (watcher->Take(100, items)) { kMore: send; kIdle: send, wait for wake(); kEnded: … }
//   }
//
// Threads: one consumer at a time calls Take(). wake() comes on the thread that publishes, once
// after each kIdle, while the cache's locks are held: it must do no more than schedule the
// consumer, and above all must not take from or destroy a watcher. Destroying a watcher ends the
// watch; wake() is not called thereafter.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/status.h"
#include "store/cache/cached_event.h"
#include "store/cache/list_reply.h"
#include "store/cache/selection.h"

namespace skiff::store {

class CacheState;
class WatcherRegistry;

struct WatchItem {
  EventType type;
  EventRef event;
};

class Watcher {
 public:
  enum class Progress : uint8_t {
    kMore,   // call again
    kIdle,   // nothing now; wake() will tell
    kEnded,  // there will be nothing more; why() tells the reason
  };

  struct Start {
    std::shared_ptr<CacheState> state;
    std::shared_ptr<const Selection> selection;
    std::optional<ListReply> initial = {};  // the state to begin with
    bool initial_end = false;               // and a bookmark behind it
    Revision initial_revision = {};         // of both
    Revision after = {};                    // changes up to here are not told
    uint64_t next = 0;                      // the first event in the ring to look at
    bool bookmarks = false;
    Duration deadline{0};  // zero: none
    std::move_only_function<void()> wake = {};
  };

  explicit Watcher(Start start);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher();

  // Appends up to `max` items. They may come with any answer but kIdle and kEnded.
  Progress Take(size_t max, std::vector<WatchItem>& out);
  // After kEnded.
  const Status& why() const { return *why_; }
  // Reads it into the processor's cache ahead of Offer().
  void Prefetch() const {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64, 1);
  }

 private:
  friend class WatcherRegistry;
  // Event and type in one word: events are aligned, so their lowest bits are free.
  using Slot = uintptr_t;
  static constexpr Slot kTypeBits = kEventTypeCount - 1;

  enum class Phase : uint8_t { kInitial, kInitialEnd, kFollowing, kEnded };

  // For the publisher, who holds the registry's lock and knows that the event concerns the watcher.
  // `number` is the event's in the ring.
  void Offer(const EventRef& event, EventType type, uint64_t number);
  // False if the watcher is not live or has no room: the bookmark would overtake something. One
  // that would tell the client nothing new is left out.
  bool OfferBookmark(const EventRef& bookmark);
  void End(const Status& why);
  // What those who watch the selection see of the event, if anything.
  static std::optional<EventType> TypeFor(const CachedEvent& event, const Selection& selection);

  Progress TakeInitial(size_t max, std::vector<WatchItem>& out);
  // True if there were some.
  bool TakeQueued(size_t max, std::vector<WatchItem>& out);
  Progress CatchUp(size_t max, std::vector<WatchItem>& out);
  Progress Finish(Status why);

  void Push(const EventRef& event, EventType type);  // under mutex_
  void WakeIfAwaited(std::unique_lock<std::mutex>& lock);

  // What the publisher touches stands first and close together: with thousands of watchers it is
  // the reading of this memory that a change costs.
  alignas(64) const Revision after_;
  std::mutex mutex_;  // guards what is between publisher and consumer:
  bool live_ = false;
  bool awaited_ = false;  // the consumer has been told kIdle
  bool overflowed_ = false;
  uint32_t head_ = 0;
  uint32_t queued_ = 0;
  uint64_t live_from_ = 0;    // events before this one came from the ring
  uint64_t passed_over_ = 0;  // the number after the last event that matched but was not queued
  uint64_t overflow_ = 0;     // the first such since the watcher was live
  std::optional<Status> ended_;
  std::array<Slot, limits::kMaxWatcherEvents> queue_;

  // Never changed.
  const std::shared_ptr<CacheState> state_;
  const std::shared_ptr<const Selection> selection_;
  const Revision begun_at_;  // where the client stands before it is told anything
  const bool bookmarks_;
  const Duration deadline_;
  std::move_only_function<void()> wake_;

  // For the registry, under its lock.
  size_t place_ = 0;
  void* group_ = nullptr;
  void* audience_ = nullptr;
  Duration next_bookmark_{0};

  // For the consumer.
  Phase phase_;
  std::optional<ListReply> initial_;
  std::optional<ListCursor> cursor_;
  const bool initial_end_;
  const Revision initial_revision_;
  uint64_t next_;  // the first event that has not been looked at; while not live
  std::vector<EventRef> chunk_;
  size_t chunk_at_ = 0;
  bool at_ring_end_ = false;  // nothing followed the chunk when it was read
  Revision last_seen_;        // what the client would resume from
  std::optional<Status> why_;
};

}  // namespace skiff::store
