#include "store/cache/event_ring.h"

#include <algorithm>

namespace skiff::store {

void EventRing::Reset(Revision loaded) {
  first_ = end() + 1;  // a number is left out: whoever stands at the old end has lost its place
  events_.clear();
  bytes_ = 0;
  complete_after_ = loaded;
  dropped_shared_ = false;
}

void EventRing::Push(EventRef event) {
  const Duration now = event->at();
  bytes_ += event->bytes();
  events_.push_back(std::move(event));
  while (events_.size() > 1) {
    const bool too_much = events_.size() > bounds_.max_events || bytes_ > bounds_.max_bytes;
    const bool too_old =
        events_.size() > bounds_.min_events && events_.front()->at() + bounds_.age < now;
    if (!too_much && !too_old) break;
    PopFront();
  }
}

void EventRing::PopFront() {
  const Revision gone = events_.front()->revision();
  bytes_ -= events_.front()->bytes();
  events_.pop_front();
  ++first_;
  dropped_shared_ =
      gone == complete_after_ || (!events_.empty() && events_.front()->revision() == gone);
  complete_after_ = gone;
}

std::optional<uint64_t> EventRing::FirstAfter(Revision revision) const {
  if (revision < complete_after_) return std::nullopt;
  const auto at = std::ranges::upper_bound(events_, revision, {},
                                           [](const EventRef& event) { return event->revision(); });
  return first_ + static_cast<uint64_t>(at - events_.begin());
}

std::optional<uint64_t> EventRing::ResumeAfter(Revision revision) const {
  const std::optional<uint64_t> next = FirstAfter(revision);
  if (!next) return std::nullopt;
  if (revision == complete_after_ && dropped_shared_) return std::nullopt;
  uint64_t at = *next;
  while (at > first_ && events_[at - 1 - first_]->revision() == revision) --at;
  return *next - at > 1 ? at : *next;
}

bool EventRing::Read(uint64_t from, size_t max, std::vector<EventRef>& out) const {
  if (from < first_) return false;
  for (uint64_t at = from; at < end() && at - from < max; ++at) out.push_back(events_[at - first_]);
  return true;
}

void EventRing::DropEncodings(Duration before) {
  for (cleaned_ = std::max(cleaned_, first_); cleaned_ < end(); ++cleaned_) {
    const EventRef& event = events_[cleaned_ - first_];
    if (event->at() >= before) return;
    // Handles are copied from the ring's under the owner's lock only, so nobody can come by now.
    if (event->unshared()) event->DropEncodings();
  }
}

}  // namespace skiff::store
