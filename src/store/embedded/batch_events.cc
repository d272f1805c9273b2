#include "store/embedded/batch_events.h"

#include <algorithm>

namespace skiff::store {
namespace {

Event MakeEvent(const WrittenRecord& written) {
  Event event;
  const bool is_put = written.kind == Write::Kind::kPut;
  event.kind = is_put ? Event::Kind::kPut : Event::Kind::kDelete;
  event.entry.key = written.key;
  if (is_put) event.entry.value = *written.value;
  event.entry.create_revision.value = written.create_revision;
  event.entry.mod_revision.value = written.position.revision;
  event.entry.version = written.version;
  event.entry.lease = written.lease;
  return event;
}

}  // namespace

std::span<const Event> BatchEvents::Plain() {
  if (plain_.empty()) {
    plain_.reserve(written_.size());
    for (const WrittenRecord& written : written_) plain_.push_back(MakeEvent(written));
  }
  return plain_;
}

Result<std::span<const Event>> BatchEvents::WithPrevious() {
  if (with_previous_.empty()) {
    std::vector<Event> events(Plain().begin(), Plain().end());
    for (size_t i = 0; i < events.size(); ++i) {
      if (!written_[i].previous) continue;
      SKIFF_ASSIGN_OR_RETURN(events[i].previous, Before(i));
    }
    with_previous_ = std::move(events);
  }
  return std::span<const Event>(with_previous_);
}

// The state that a write replaced: often of the same batch, else read from the log.
Result<KeyValue> BatchEvents::Before(size_t index) {
  const LogPosition position = written_[index].previous;
  const auto at = std::ranges::lower_bound(written_, position, {}, &WrittenRecord::position);
  if (at != written_.end() && at->position == position) {
    return plain_[static_cast<size_t>(at - written_.begin())].entry;
  }
  return reader_->Entry(*engine_, written_[index].key, position);
}

}  // namespace skiff::store
