#include "apiserver/in_process/local_watch.h"

#include <utility>

namespace skiff::apiserver {
namespace {

constexpr size_t kEventsAtOnce = 64;

client::ClientEvent::Type TypeOf(store::EventType type) {
  switch (type) {
    case store::EventType::kAdded:
      return client::ClientEvent::Type::kAdded;
    case store::EventType::kModified:
      return client::ClientEvent::Type::kModified;
    case store::EventType::kDeleted:
      return client::ClientEvent::Type::kDeleted;
    case store::EventType::kBookmark:
      break;
  }
  return client::ClientEvent::Type::kBookmark;
}

}  // namespace

class LocalWatch::Sink final : public LocalSink {
 public:
  Sink(std::shared_ptr<ExecutorLink> link, std::weak_ptr<LocalWatch> watch)
      : LocalSink(std::move(link)), watch_(std::move(watch)) {}

  void Watching(ObjectViewPtr view, std::unique_ptr<store::Watcher> watcher) override {
    link().Post([watch = watch_, view = std::move(view), watcher = std::move(watcher)]() mutable {
      if (const auto self = watch.lock()) self->Begin(std::move(view), std::move(watcher));
    });
  }
  void Wake() override {
    link().Post([watch = watch_] {
      if (const auto self = watch.lock()) self->Take();
    });
  }

 private:
  // A refusal, or what another server tells.
  void Answer(LocalReply reply) override {
    if (auto* told = std::get_if<net::HttpResponse>(&reply); told != nullptr && told->code == 200) {
      link().Post([watch = watch_, told = std::move(*told)]() mutable {
        if (const auto self = watch.lock()) self->BeginRemote(std::move(told));
      });
      return;
    }
    Status why(StatusReason::kInternalError, "this cannot be watched");
    if (Status* told = std::get_if<Status>(&reply)) why = std::move(*told);
    if (const auto* told = std::get_if<net::HttpResponse>(&reply)) why = StatusOf(*told);
    link().Post([watch = watch_, why = std::move(why)] {
      if (const auto self = watch.lock()) self->End(why);
    });
  }

  const std::weak_ptr<LocalWatch> watch_;
};

LocalWatch::LocalWatch(std::shared_ptr<ExecutorLink> link,
                       std::shared_ptr<SharedDocuments> documents, DocumentForm form,
                       const client::ApiResource& resource, client::ClientWatchSink* sink)
    : link_(std::move(link)),
      documents_(std::move(documents)),
      form_(form),
      resource_(resource),
      sink_(sink) {}

std::shared_ptr<LocalSink> LocalWatch::MakeSink() {
  return std::make_shared<Sink>(link_, weak_from_this());
}

void LocalWatch::Begin(ObjectViewPtr view, std::unique_ptr<store::Watcher> watcher) {
  if (ended()) return;
  view_ = std::move(view);
  watcher_ = std::move(watcher);
  Take();
}

void LocalWatch::BeginRemote(net::HttpResponse response) {
  if (ended()) return;
  const client::ApiMedia media = client::MediaOf(response.headers.Get("content-type"));
  if (media == client::ApiMedia::kOther) {
    return End(Status(StatusReason::kInternalError, "the server's answer is no watch"));
  }
  decoder_.emplace(resource_, form_ == DocumentForm::kMetadata, media);
  ResponseBody::Calls on;
  on.on_bytes = [this](std::string_view bytes) { TakeRemote(bytes); };
  on.on_end = [this](const Result<void>& outcome) {
    const bool is_whole = outcome && decoder_->at_boundary();
    if (is_whole) return End(std::nullopt);
    End(Status(StatusReason::kServiceUnavailable, "the watch was broken off"));
  };
  body_ = std::make_shared<ResponseBody>(link_, std::move(response), std::move(on));
  const auto body = body_;
  body->Start();
}

void LocalWatch::TakeRemote(std::string_view bytes) {
  if (ended()) return;
  const auto self = shared_from_this();
  std::vector<client::ClientEvent> events;
  const Result<void> added = decoder_->Add(bytes, events);
  if (!events.empty()) sink_->OnEvents(events);
  if (!added && !ended()) End(client::WatchFault(added.error()));
}

void LocalWatch::Take() {
  // A wake-up may overtake the watcher itself.
  if (ended() || watcher_ == nullptr) return;
  items_.clear();
  const store::Watcher::Progress progress = watcher_->Take(kEventsAtOnce, items_);
  std::vector<client::ClientEvent> events;
  events.reserve(items_.size());
  for (const store::WatchItem& item : items_) {
    Result<client::ClientEvent> event = EventOf(item);
    if (!event) return End(event.error());
    events.push_back(std::move(*event));
  }
  items_.clear();
  if (!events.empty()) sink_->OnEvents(events);
  if (ended()) return;
  if (progress == store::Watcher::Progress::kEnded) return End(watcher_->why());
  if (progress == store::Watcher::Progress::kMore) {
    link_->Post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->Take();
    });
  }
}

Result<client::ClientEvent> LocalWatch::EventOf(const store::WatchItem& item) {
  client::ClientEvent out{.type = TypeOf(item.type), .object = {}};
  const store::CachedEvent& event = *item.event;
  if (const store::CacheEntry* entry = event.Object(item.type); entry != nullptr) {
    SKIFF_ASSIGN_OR_RETURN(out.object,
                           documents_->Get(view_.get(), form_, *entry, event.revision()));
    return out;
  }
  out.initial_end = event.initial_end();
  SKIFF_ASSIGN_OR_RETURN(
      out.object, SharedDocuments::Bookmark(*view_, form_, event.revision(), out.initial_end));
  return out;
}

void LocalWatch::End(std::optional<Status> why) {
  watcher_ = nullptr;
  body_ = nullptr;
  if (client::ClientWatchSink* sink = std::exchange(sink_, nullptr)) sink->OnEnd(std::move(why));
}

void LocalWatch::Stop() {
  watcher_ = nullptr;
  body_ = nullptr;
  sink_ = nullptr;
}

}  // namespace skiff::apiserver
