// Watches: a stream of events that goes on until the client leaves, its time is up, or the server
// stops.
#include <utility>

#include "apiserver/request/respond.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_options.h"
#include "apiserver/rest/watch_encoder.h"
#include "store/cache/watcher.h"

namespace skiff {
namespace {

constexpr size_t kEventsAtOnce = 64;

// Wakes the source from other threads, also when the source has gone.
struct Waker {
  std::mutex mutex;
  std::function<void()> wake;  // null: not started yet, or gone

  void Wake() {
    std::lock_guard lock(mutex);
    if (wake) wake();
  }
};

class WatchSource final : public BodySource {
 public:
  WatchSource(std::unique_ptr<Watcher> watcher, std::unique_ptr<WatchEncoder> encoder,
              std::shared_ptr<Waker> waker, Deadlines& deadlines, Duration until)
      : watcher_(std::move(watcher)),
        encoder_(std::move(encoder)),
        waker_(std::move(waker)),
        deadlines_(deadlines),
        deadline_(deadlines.Add(until, [waker = waker_] { waker->Wake(); })) {}

  ~WatchSource() override {
    deadlines_.Remove(deadline_);
    std::lock_guard lock(waker_->mutex);
    waker_->wake = nullptr;
  }

  void OnStart(std::function<void()> wake) override {
    std::lock_guard lock(waker_->mutex);
    waker_->wake = std::move(wake);
  }

  Result<State> Read(ByteBuffer& out, size_t room) override {
    const size_t until = out.size() + room;
    while (out.size() < until) {
      if (deadlines_.Reached(deadline_)) return State::kEnd;
      items_.clear();
      const Watcher::Progress progress = watcher_->Take(kEventsAtOnce, items_);
      for (const WatchItem& item : items_) SKIFF_RETURN_IF_ERROR(encoder_->Append(item, out));
      if (progress == Watcher::Progress::kIdle) return State::kWaiting;
      if (progress == Watcher::Progress::kEnded) {
        SKIFF_RETURN_IF_ERROR(encoder_->AppendError(watcher_->why(), out));
        return State::kEnd;
      }
    }
    return State::kMore;
  }

 private:
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<WatchEncoder> encoder_;
  std::shared_ptr<Waker> waker_;
  Deadlines& deadlines_;
  Deadlines::Key deadline_;
  std::vector<WatchItem> items_;
};

// As long as the client wants, else between one and two times the least time, at random so that
// not all come back together.
Duration WatchTimeout(const ListOptions& options, RestContext& context) {
  if (options.timeout_seconds.value_or(0) > 0) {
    return std::chrono::seconds(*options.timeout_seconds);
  }
  return context.min_request_timeout +
         std::chrono::duration_cast<Duration>(context.min_request_timeout *
                                              context.random.UniformDouble());
}

void RespondWatch(ApiRequest& request, const Endpoint& endpoint, const OutputFormat& format,
                  std::unique_ptr<Watcher> watcher, std::shared_ptr<Waker> waker, Duration until) {
  RestContext& context = *endpoint.context;
  auto encoder = MakeWatchEncoder(request, endpoint, format);
  if (!encoder) return RespondError(request, encoder.error());
  std::string content_type(format.content_type());
  if (format.media == MediaKind::kProtobuf) content_type += ";stream=watch";
  RespondStream(request, 200, content_type,
                std::make_unique<WatchSource>(std::move(watcher), std::move(*encoder),
                                              std::move(waker), context.deadlines, until));
}

}  // namespace

void HandleWatch(ApiRequestPtr request, const Endpoint& endpoint) {
  const Result<OutputFormat> format = NegotiateOutput(*request, Answered::kWatch);
  if (!format) return RespondError(*request, format.error());
  Result<ListOptions> options = ReadListOptions(*request, endpoint);
  if (!options) return RespondError(*request, options.error());
  RestContext& context = *endpoint.context;
  const Duration until = context.clock.Monotonic() + WatchTimeout(*options, context);
  auto waker = std::make_shared<Waker>();
  CacheWatchRequest watch;
  watch.selection = std::move(options->selection);
  watch.resource_version = std::move(options->resource_version);
  watch.resource_version_match = std::move(options->resource_version_match);
  watch.continue_token = std::move(options->continue_token);
  watch.send_initial_events = options->send_initial_events;
  watch.allow_bookmarks = options->allow_watch_bookmarks;
  watch.deadline = until;
  watch.wake = [waker] { waker->Wake(); };
  endpoint.storage->cache().Watch(
      std::move(watch),
      [request = std::move(request), &endpoint, format = *format, waker,
       until](Result<std::unique_ptr<Watcher>> watcher) mutable {
        if (!watcher) return RespondError(*request, watcher.error());
        RespondWatch(*request, endpoint, format, std::move(*watcher), std::move(waker), until);
      });
}

}  // namespace skiff
