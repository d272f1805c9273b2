#include "apiserver/in_process/local_watch.h"

#include <utility>

namespace skiff {
namespace {

constexpr size_t kEventsAtOnce = 64;

ClientEvent::Type TypeOf(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return ClientEvent::Type::kAdded;
    case EventType::kModified:
      return ClientEvent::Type::kModified;
    case EventType::kDeleted:
      return ClientEvent::Type::kDeleted;
    case EventType::kBookmark:
      break;
  }
  return ClientEvent::Type::kBookmark;
}

}  // namespace

class LocalWatch::Sink final : public LocalSink {
 public:
  Sink(std::shared_ptr<ExecutorLink> link, std::weak_ptr<LocalWatch> watch)
      : LocalSink(std::move(link)), watch_(std::move(watch)) {}

  void Watching(const ObjectView* view, std::unique_ptr<Watcher> watcher) override {
    link().Post([watch = watch_, view, watcher = std::move(watcher)]() mutable {
      if (const auto self = watch.lock()) self->Begin(view, std::move(watcher));
    });
  }
  void Wake() override {
    link().Post([watch = watch_] {
      if (const auto self = watch.lock()) self->Take();
    });
  }

 private:
  // Nothing but a refusal.
  void Answer(LocalReply reply) override {
    Status why(StatusReason::kInternalError, "this cannot be watched");
    if (Status* told = std::get_if<Status>(&reply)) why = std::move(*told);
    if (const auto* told = std::get_if<HttpResponse>(&reply)) why = StatusOf(*told);
    link().Post([watch = watch_, why = std::move(why)] {
      if (const auto self = watch.lock()) self->End(why);
    });
  }

  const std::weak_ptr<LocalWatch> watch_;
};

LocalWatch::LocalWatch(std::shared_ptr<ExecutorLink> link,
                       std::shared_ptr<SharedDocuments> documents, DocumentForm form,
                       ClientWatchSink* sink)
    : link_(std::move(link)), documents_(std::move(documents)), form_(form), sink_(sink) {}

std::shared_ptr<LocalSink> LocalWatch::MakeSink() {
  return std::make_shared<Sink>(link_, weak_from_this());
}

void LocalWatch::Begin(const ObjectView* view, std::unique_ptr<Watcher> watcher) {
  if (ended()) return;
  view_ = view;
  watcher_ = std::move(watcher);
  Take();
}

void LocalWatch::Take() {
  // A wake-up may overtake the watcher itself.
  if (ended() || watcher_ == nullptr) return;
  items_.clear();
  const Watcher::Progress progress = watcher_->Take(kEventsAtOnce, items_);
  std::vector<ClientEvent> events;
  events.reserve(items_.size());
  for (const WatchItem& item : items_) {
    Result<ClientEvent> event = EventOf(item);
    if (!event) return End(event.error());
    events.push_back(std::move(*event));
  }
  items_.clear();
  if (!events.empty()) sink_->OnEvents(events);
  if (ended()) return;
  if (progress == Watcher::Progress::kEnded) return End(watcher_->why());
  if (progress == Watcher::Progress::kMore) {
    link_->Post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->Take();
    });
  }
}

Result<ClientEvent> LocalWatch::EventOf(const WatchItem& item) {
  ClientEvent out{.type = TypeOf(item.type), .object = {}};
  const CachedEvent& event = *item.event;
  if (const CacheEntry* entry = event.Object(item.type); entry != nullptr) {
    SKIFF_ASSIGN_OR_RETURN(out.object,
                           documents_->Get(view_, form_, entry->value(), event.revision()));
    return out;
  }
  out.initial_end = event.initial_end();
  SKIFF_ASSIGN_OR_RETURN(
      out.object, SharedDocuments::Bookmark(*view_, form_, event.revision(), out.initial_end));
  return out;
}

void LocalWatch::End(std::optional<Status> why) {
  watcher_ = nullptr;
  if (ClientWatchSink* sink = std::exchange(sink_, nullptr)) sink->OnEnd(std::move(why));
}

void LocalWatch::Stop() {
  watcher_ = nullptr;
  sink_ = nullptr;
}

}  // namespace skiff
