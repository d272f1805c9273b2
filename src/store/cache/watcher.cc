#include "store/cache/watcher.h"

#include <algorithm>
#include <utility>

#include "store/cache/cache_state.h"
#include "store/cache/freshness.h"
#include "store/cache/watcher_registry.h"

namespace skiff::store {

Watcher::Watcher(Start start)
    : after_(start.after),
      state_(std::move(start.state)),
      selection_(std::move(start.selection)),
      begun_at_(std::max(start.after, start.initial_revision)),
      bookmarks_(start.bookmarks),
      deadline_(start.deadline),
      wake_(std::move(start.wake)),
      phase_(start.initial ? Phase::kInitial : Phase::kFollowing),
      initial_(std::move(start.initial)),
      initial_end_(start.initial_end),
      initial_revision_(start.initial_revision),
      next_(start.next),
      last_seen_(begun_at_) {
  if (initial_) cursor_.emplace(initial_->Entries());
}

Watcher::~Watcher() {
  {
    std::lock_guard lock(state_->watchers().mutex());
    if (group_ != nullptr) state_->watchers().Remove(this);
  }
  for (; queued_ > 0; --queued_, ++head_) {
    const Slot slot = queue_[head_ % queue_.size()];
    EventRef::Adopt(reinterpret_cast<const CachedEvent*>(slot & ~kTypeBits));
  }
}

// --- for the publisher

std::optional<EventType> Watcher::TypeFor(const CachedEvent& event, const Selection& selection) {
  const bool now = event.current() != nullptr && selection.Matches(*event.current());
  const bool before = event.previous() != nullptr && selection.Matches(*event.previous());
  if (now) return before ? EventType::kModified : EventType::kAdded;
  if (before) return EventType::kDeleted;
  return std::nullopt;
}

void Watcher::Offer(const EventRef& event, EventType type, uint64_t number) {
  if (event->revision() <= after_) return;
  std::unique_lock lock(mutex_);
  if (ended_) return;                        // there may be a gap before this event
  if (live_ && number < live_from_) return;  // it came from the ring
  if (live_ && queued_ == queue_.size()) {
    live_ = false;
    overflowed_ = true;
    overflow_ = number;
  }
  if (!live_) {
    passed_over_ = number + 1;
    return;
  }
  Push(event, type);
  WakeIfAwaited(lock);
}

bool Watcher::OfferBookmark(const EventRef& bookmark) {
  std::unique_lock lock(mutex_);
  if (bookmark->revision() <= begun_at_) return true;
  if (!live_ || ended_ || queued_ == queue_.size()) return false;
  Push(bookmark, EventType::kBookmark);
  WakeIfAwaited(lock);
  return true;
}

void Watcher::End(const Status& why) {
  std::unique_lock lock(mutex_);
  if (!ended_) ended_ = why;
  WakeIfAwaited(lock);
}

void Watcher::Push(const EventRef& event, EventType type) {
  static_assert(alignof(CachedEvent) >= kEventTypeCount);
  EventRef counted = event;
  queue_[(head_ + queued_) % queue_.size()] =
      reinterpret_cast<Slot>(counted.Release()) | static_cast<Slot>(type);
  ++queued_;
}

void Watcher::WakeIfAwaited(std::unique_lock<std::mutex>& lock) {
  if (!std::exchange(awaited_, false)) return;
  lock.unlock();
  wake_();
}

// --- for the consumer

Watcher::Progress Watcher::Take(size_t max, std::vector<WatchItem>& out) {
  switch (phase_) {
    case Phase::kInitial:
      return TakeInitial(max, out);
    case Phase::kInitialEnd:
      phase_ = Phase::kFollowing;
      out.push_back({EventType::kBookmark, CachedEvent::Bookmark(initial_revision_, true)});
      return Progress::kMore;
    case Phase::kEnded:
      return Progress::kEnded;
    case Phase::kFollowing:
      break;
  }
  if (chunk_at_ == chunk_.size() && TakeQueued(max, out)) return Progress::kMore;
  {
    std::lock_guard lock(mutex_);
    if (queued_ > 0) return Progress::kMore;
    if (ended_) return Finish(*ended_);
    if (live_) {
      awaited_ = true;
      return Progress::kIdle;
    }
    if (std::exchange(overflowed_, false)) next_ = overflow_;
  }
  return CatchUp(max, out);
}

Watcher::Progress Watcher::TakeInitial(size_t max, std::vector<WatchItem>& out) {
  size_t budget = limits::kCatchUpEvents;
  for (size_t taken = 0; taken < max; ++taken) {
    const CacheEntry* entry = cursor_->NextWithin(budget);
    if (entry == nullptr) break;
    out.push_back({EventType::kAdded, CachedEvent::InitialState(EntryRef(entry))});
  }
  if (cursor_->done()) {
    cursor_.reset();
    initial_.reset();  // and with it the snapshot
    phase_ = initial_end_ ? Phase::kInitialEnd : Phase::kFollowing;
  }
  return Progress::kMore;
}

bool Watcher::TakeQueued(size_t max, std::vector<WatchItem>& out) {
  std::lock_guard lock(mutex_);
  const auto count = static_cast<uint32_t>(std::min<size_t>(max, queued_));
  for (uint32_t i = 0; i < count; ++i) {
    const Slot slot = queue_[(head_ + i) % queue_.size()];
    out.push_back({static_cast<EventType>(slot & kTypeBits),
                   EventRef::Adopt(reinterpret_cast<const CachedEvent*>(slot & ~kTypeBits))});
  }
  head_ = static_cast<uint32_t>((head_ + count) % queue_.size());
  queued_ -= count;
  if (count > 0) last_seen_ = out.back().event->revision();
  return count > 0;
}

Watcher::Progress Watcher::CatchUp(size_t max, std::vector<WatchItem>& out) {
  if (chunk_at_ == chunk_.size()) {
    chunk_.clear();
    chunk_at_ = 0;
    if (!state_->ReadRing(next_, limits::kCatchUpEvents, chunk_)) {
      return Finish(TooOldToWatch(last_seen_, state_->ring_complete_after()));
    }
    next_ += chunk_.size();
    at_ring_end_ = chunk_.size() < limits::kCatchUpEvents;
  }
  for (size_t taken = 0; chunk_at_ < chunk_.size() && taken < max; ++chunk_at_) {
    EventRef& event = chunk_[chunk_at_];
    last_seen_ = event->revision();
    if (last_seen_ <= after_) continue;
    const std::optional<EventType> type = TypeFor(*event, *selection_);
    if (!type) continue;
    out.push_back({*type, std::move(event)});
    ++taken;
  }
  if (chunk_at_ < chunk_.size()) return Progress::kMore;
  chunk_.clear();
  chunk_at_ = 0;
  // If something was passed over since the ring was read, it is in the ring, and not yet in hand.
  std::lock_guard lock(mutex_);
  if (at_ring_end_ && passed_over_ <= next_) {
    live_ = true;
    live_from_ = next_;
  }
  return Progress::kMore;
}

Watcher::Progress Watcher::Finish(Status why) {
  why_ = std::move(why);
  phase_ = Phase::kEnded;
  return Progress::kEnded;
}

}  // namespace skiff::store
