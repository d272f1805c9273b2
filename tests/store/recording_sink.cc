#include "tests/store/recording_sink.h"

#include <algorithm>
#include <utility>

#include "tests/store/text.h"

namespace skiff::testing {

void RecordingSink::Blame(std::string fault) {
  if (fault_.empty()) fault_ = std::move(fault);
}

void RecordingSink::OnEvents(std::span<const store::Event> events) {
  const std::lock_guard lock(mutex_);
  if (end_) Blame("events after the end");
  if (events.empty()) Blame("a call without events");
  // A revision may span several events, but only within one call.
  const store::Revision told_before = told_;
  for (const store::Event& event : events) {
    if (event.revision() <= told_before || event.revision() < told_)
      Blame(Text("event of revision ", event.revision().value, " after ", told_.value));
    told_ = std::max(told_, event.revision());
  }
  events_.insert(events_.end(), events.begin(), events.end());
  events_per_call_.push_back(events.size());
  changed_.notify_all();
}

void RecordingSink::OnProgress(store::Revision revision) {
  const std::lock_guard lock(mutex_);
  if (end_) Blame("progress after the end");
  if (revision < told_)
    Blame(Text("progress to revision ", revision.value, " after ", told_.value));
  told_ = std::max(told_, revision);
  progress_ = revision;
  changed_.notify_all();
}

void RecordingSink::OnEnd(Status why) {
  const std::lock_guard lock(mutex_);
  if (end_) Blame("a second end");
  end_ = std::move(why);
  changed_.notify_all();
}

template <typename Condition>
bool RecordingSink::WaitFor(Condition condition) {
  SystemClock clock;
  const Duration deadline = clock.Monotonic() + kPatience;
  std::unique_lock lock(mutex_);
  while (!condition()) {
    if (clock.Monotonic() >= deadline) return false;
    clock.WaitUntil(changed_, lock, deadline);
  }
  return true;
}

bool RecordingSink::WaitForEvents(size_t count) {
  return WaitFor([&] { return events_.size() >= count; });
}

bool RecordingSink::WaitForRevision(store::Revision revision) {
  return WaitFor([&] { return !events_.empty() && events_.back().revision() >= revision; });
}

bool RecordingSink::WaitForProgress(store::Revision revision) {
  return WaitFor([&] { return progress_ && *progress_ >= revision; });
}

bool RecordingSink::WaitForEnd() {
  return WaitFor([&] { return end_.has_value(); });
}

std::vector<store::Event> RecordingSink::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::vector<size_t> RecordingSink::events_per_call() const {
  const std::lock_guard lock(mutex_);
  return events_per_call_;
}

std::optional<store::Revision> RecordingSink::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

std::optional<Status> RecordingSink::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

std::string RecordingSink::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

}  // namespace skiff::testing
