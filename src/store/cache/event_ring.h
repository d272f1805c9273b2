// The latest changes of a resource, in order: what a watch from an earlier revision, or one that
// fell behind, catches up from.
//
// Events are numbered without gaps until the ring is emptied; no number comes twice. The oldest go
// when there are too many of them or too many bytes, and when they are older than
// limits::kEventRingAge and not among the last limits::kMinRingEvents.
//
// Not thread-safe: its owner locks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "store/cache/cached_event.h"

namespace skiff::store {

struct EventRingBounds {
  size_t min_events = limits::kMinRingEvents;
  size_t max_events = limits::kMaxRingEvents;
  size_t max_bytes = limits::kMaxRingBytes;
  Duration age = limits::kEventRingAge;
};

class EventRing {
 public:
  explicit EventRing(const EventRingBounds& bounds = {}) : bounds_(bounds) {}

  // Empties the ring: its first event will be the first after `loaded`. Numbers from before are
  // gone for good.
  void Reset(Revision loaded);
  // Takes the next number.
  void Push(EventRef event);

  // The numbers of the first event and of the one that will come next.
  uint64_t first() const { return first_; }
  uint64_t end() const { return first_ + events_.size(); }
  size_t bytes() const { return bytes_; }
  // All events after this revision are here.
  Revision complete_after() const { return complete_after_; }

  // The number of the first event after this revision, if all of them are here.
  std::optional<uint64_t> FirstAfter(Revision revision) const;
  // Where a watch goes on that has heard of this revision, and with what. A transaction may have
  // changed several objects at one revision, and the watch may have been cut off between them: it
  // hears of all of them again then, or starts anew if some are gone.
  std::optional<uint64_t> ResumeAfter(Revision revision) const;
  // Appends up to `max` events from this number on. False if the first of them is gone.
  bool Read(uint64_t from, size_t max, std::vector<EventRef>& out) const;

  // Lets go of encodings of events that happened before `before` and that nobody is reading any
  // more: whoever wants them still, such as a slow watcher, makes them again.
  void DropEncodings(Duration before);

 private:
  void PopFront();

  const EventRingBounds bounds_;
  std::deque<EventRef> events_;
  uint64_t first_ = 0;
  uint64_t cleaned_ = 0;  // events before this number have no encodings, or are in use
  size_t bytes_ = 0;
  Revision complete_after_;
  bool dropped_shared_ = false;  // the revision of the last that went has, or had, other events too
};

}  // namespace skiff::store
