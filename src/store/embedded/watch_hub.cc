#include "store/embedded/watch_hub.h"

#include <algorithm>
#include <string>
#include <utility>

namespace skiff::store {
namespace {

// How long the thread waits before it tries again to read the log of an engine that is away.
constexpr Duration kRetryAfter = std::chrono::milliseconds(50);

}  // namespace

struct WatchHub::Watcher {
  KeyRange range;
  WatchSink* sink;
  bool previous_values;
  int64_t from;  // nothing before it is told

  // Held during each call of the sink.
  std::mutex calling;
  bool cancelled = false;  // guarded by calling

  // Guarded by mutex_ of the hub.
  enum class Place : uint8_t { kSynced, kBehind, kGone };
  Place place = Place::kBehind;
  std::list<WatcherPointer>::iterator at;
  bool wants_progress = false;

  int64_t next = 0;               // of one that is behind; for the hub's thread
  std::vector<uint32_t> matches;  // indexes of events; for Publish()
};

class WatchHub::Handle final : public Watch {
 public:
  Handle(std::shared_ptr<WatchHub> hub, WatcherPointer watcher)
      : hub_(std::move(hub)), watcher_(std::move(watcher)) {}
  ~Handle() override {
    hub_->Remove(watcher_);
    std::lock_guard calling(watcher_->calling);
    watcher_->cancelled = true;
  }

  void RequestProgress() override {
    std::lock_guard lock(hub_->mutex_);
    if (watcher_->place == Watcher::Place::kGone || watcher_->wants_progress) return;
    watcher_->wants_progress = true;
    // One that is behind is answered when it has caught up.
    if (watcher_->place == Watcher::Place::kBehind) return;
    hub_->progress_wanted_.push_back(watcher_);
    hub_->wake_.notify_one();
  }

 private:
  std::shared_ptr<WatchHub> hub_;
  WatcherPointer watcher_;
};

WatchHub::WatchHub(StoreReader* reader, StoreState* state, Clock* clock)
    : reader_(reader), state_(state), clock_(clock), published_(state->revision.load()) {
  thread_.emplace("store-watch", [this] { Work(); });
}

std::unique_ptr<Watch> WatchHub::Start(WatchRequest request, WatchSink* sink) {
  auto watcher = std::make_shared<Watcher>();
  watcher->range = std::move(request.range);
  watcher->sink = sink;
  watcher->previous_values = request.previous_values;
  {
    std::lock_guard lock(mutex_);
    watcher->from = request.from.value > 0 ? request.from.value : published_ + 1;
    watcher->next = watcher->from;
    const bool synced = watcher->from > published_ && !stopping_;
    auto& list = synced ? synced_ : behind_;
    watcher->place = synced ? Watcher::Place::kSynced : Watcher::Place::kBehind;
    watcher->at = list.insert(list.end(), watcher);
    if (synced) index_is_stale_ = true;
    if (!synced) wake_.notify_one();
  }
  return std::make_unique<Handle>(shared_from_this(), std::move(watcher));
}

void WatchHub::Remove(const WatcherPointer& watcher) {
  std::lock_guard lock(mutex_);
  if (watcher->place == Watcher::Place::kSynced) {
    synced_.erase(watcher->at);
    index_is_stale_ = true;
  } else if (watcher->place == Watcher::Place::kBehind) {
    behind_.erase(watcher->at);
  }
  watcher->place = Watcher::Place::kGone;
}

void WatchHub::Publish(int64_t revision, EventSource& events) {
  std::lock_guard publishing(publishing_);
  std::vector<WatcherPointer> touched;
  {
    std::lock_guard lock(mutex_);
    published_ = revision;
    state_->revision.store(revision);
    if (!synced_.empty()) Match(events, &touched);
  }
  for (const WatcherPointer& watcher : touched) {
    std::lock_guard calling(watcher->calling);
    if (!watcher->cancelled) Deliver(watcher, events);
    watcher->matches.clear();
  }
}

void WatchHub::Match(EventSource& events, std::vector<WatcherPointer>* touched) {
  if (index_is_stale_) {
    index_.Clear();
    for (const WatcherPointer& watcher : synced_) index_.Add(&watcher->range, &watcher);
    index_.Build();
    index_is_stale_ = false;
  }
  uint32_t number = 0;
  for (const Event& event : events.Plain()) {
    index_.Find(event.entry.key, [&](const WatcherPointer* watcher) {
      if (event.revision().value < (*watcher)->from) return;
      if ((*watcher)->matches.empty()) touched->push_back(*watcher);
      (*watcher)->matches.push_back(number);
    });
    ++number;
  }
}

void WatchHub::Deliver(const WatcherPointer& watcher, EventSource& events) {
  if (!watcher->previous_values) return DeliverRuns(*watcher, events.Plain());
  const Result<std::span<const Event>> with_previous = events.WithPrevious();
  if (with_previous) return DeliverRuns(*watcher, *with_previous);
  Remove(watcher);
  watcher->cancelled = true;
  watcher->sink->OnEnd(with_previous.error());
}

// Passes runs of adjacent events as they are. Only where a revision touches keys in the range and
// others by turns are its events copied together.
void WatchHub::DeliverRuns(Watcher& watcher, std::span<const Event> events) {
  const std::vector<uint32_t>& matches = watcher.matches;
  for (size_t begin = 0; begin < matches.size();) {
    size_t end = begin + 1;
    while (end < matches.size() && matches[end] == matches[end - 1] + 1) ++end;
    const auto same_revision = [&](size_t a, size_t b) {
      return events[matches[a]].revision() == events[matches[b]].revision();
    };
    if (end == matches.size() || !same_revision(end - 1, end)) {
      watcher.sink->OnEvents(events.subspan(matches[begin], end - begin));
      begin = end;
      continue;
    }
    while (end < matches.size() && same_revision(end - 1, end)) ++end;
    std::vector<Event> together;
    for (size_t i = begin; i < end; ++i) together.push_back(events[matches[i]]);
    watcher.sink->OnEvents(together);
    begin = end;
  }
}

void WatchHub::End(const WatcherPointer& watcher, const Status& why) {
  Remove(watcher);
  std::lock_guard calling(watcher->calling);
  if (std::exchange(watcher->cancelled, true)) return;
  watcher->sink->OnEnd(why);
}

void WatchHub::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!progress_wanted_.empty()) {
      const std::vector<WatcherPointer> wanted = std::exchange(progress_wanted_, {});
      lock.unlock();
      for (const WatcherPointer& watcher : wanted) AnswerProgress(watcher);
      lock.lock();
      continue;
    }
    if (behind_.empty()) {
      wake_.wait(lock);
      continue;
    }
    // The first goes to the end of the line, so that all advance.
    const WatcherPointer watcher = behind_.front();
    behind_.splice(behind_.end(), behind_, behind_.begin());
    lock.unlock();
    const bool went_on = CatchUp(watcher);
    lock.lock();
    if (!went_on && !stopping_) {
      clock_->WaitUntil(wake_, lock, clock_->Monotonic() + kRetryAfter);
    }
  }
}

bool WatchHub::CatchUp(const WatcherPointer& watcher) {
  int64_t through = 0;
  {
    std::lock_guard lock(mutex_);
    through = published_;
  }
  if (watcher->next <= through) {
    Result<EventPiece> piece =
        reader_->Events(watcher->next, through, watcher->range, watcher->previous_values);
    if (!piece) {
      // An engine that is being replaced comes back.
      if (piece.error().reason() == StatusReason::kServiceUnavailable) return false;
      End(watcher, piece.error());
      return true;
    }
    watcher->next = piece->next;
    if (!piece->events.empty()) {
      std::lock_guard calling(watcher->calling);
      if (!watcher->cancelled) watcher->sink->OnEvents(piece->events);
    }
  }
  if (JoinIfCaughtUp(watcher)) AnswerProgress(watcher);
  return true;
}

bool WatchHub::JoinIfCaughtUp(const WatcherPointer& watcher) {
  std::lock_guard lock(mutex_);
  if (watcher->place != Watcher::Place::kBehind || watcher->next <= published_) return false;
  synced_.splice(synced_.end(), behind_, watcher->at);
  watcher->place = Watcher::Place::kSynced;
  index_is_stale_ = true;
  return watcher->wants_progress;
}

void WatchHub::AnswerProgress(const WatcherPointer& watcher) {
  std::lock_guard publishing(publishing_);
  int64_t revision = 0;
  {
    std::lock_guard lock(mutex_);
    if (watcher->place != Watcher::Place::kSynced) return;
    watcher->wants_progress = false;
    revision = published_;
  }
  std::lock_guard calling(watcher->calling);
  if (!watcher->cancelled) watcher->sink->OnProgress({revision});
}

void WatchHub::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  thread_.reset();
  while (true) {
    WatcherPointer watcher;
    {
      std::lock_guard lock(mutex_);
      if (synced_.empty() && behind_.empty()) return;
      watcher = synced_.empty() ? behind_.front() : synced_.front();
    }
    End(watcher, Status(StatusReason::kServiceUnavailable, "the store is closing"));
  }
}

}  // namespace skiff::store
