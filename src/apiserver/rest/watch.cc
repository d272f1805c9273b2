#include "apiserver/rest/watch.h"

#include <utility>

#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/converted_watch.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_options.h"
#include "apiserver/rest/rest_response.h"
#include "apiserver/rest/waker.h"
#include "apiserver/rest/watch_encoder.h"
#include "base/limits.h"
#include "base/work_budget.h"
#include "net/websocket.h"
#include "serving/request/respond.h"
#include "store/cache/watcher.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kEventsAtOnce = 64;

// What both kinds of streams take their events from.
class WatchFeed {
 public:
  // An error in place of the watcher is the only event.
  WatchFeed(std::shared_ptr<const void> served_by, const ResourceStorage& storage,
            Result<std::unique_ptr<store::Watcher>> watcher, std::unique_ptr<WatchEncoder> encoder,
            std::unique_ptr<WatchConversion> conversion, std::shared_ptr<Waker> waker, Clock& clock,
            Deadlines& deadlines, Duration until)
      : served_by_(std::move(served_by)),
        storage_(storage),
        watcher_(std::move(watcher)),
        encoder_(std::move(encoder)),
        conversion_(std::move(conversion)),
        waker_(std::move(waker)),
        clock_(clock),
        deadlines_(deadlines),
        deadline_(deadlines.Add(until, [waker = waker_] { waker->Wake(); })) {}
  WatchFeed(const WatchFeed&) = delete;
  WatchFeed& operator=(const WatchFeed&) = delete;
  ~WatchFeed() {
    deadlines_.Remove(deadline_);
    waker_->Set(nullptr);
  }

  void Start(std::function<void()> wake) { waker_->Set(std::move(wake)); }
  // Who has not taken the end of the watch by then takes nothing.
  Duration Deadline() const { return deadline_.first + limits::kHttpWriteTimeout; }

  // Appends about `room` bytes of events to `out`, or as many as its time allows, which may be
  // none: a selector may match few of the objects that there are. What goes beyond `room` is one
  // event. After each event `after` is called, which may empty `out`.
  template <typename After>
  Result<net::BodySource::State> Take(ByteBuffer& out, size_t room, After after) {
    const WorkBudget budget(clock_, limits::kWorkAtOnce);
    for (size_t taken = 0; taken < room;) {
      if (deadlines_.Reached(deadline_)) return net::BodySource::State::kEnd;
      if (!watcher_) return End(watcher_.error(), out, after);
      if (next_item_ == items_.size()) {
        items_.clear();
        next_item_ = 0;
        if (conversion_ != nullptr && conversion_->busy()) {
          const Result<bool> converted = conversion_->Take(items_);
          if (!converted) return End(converted.error(), out, after);
          if (!*converted) return net::BodySource::State::kWaiting;
          continue;
        }
        const store::Watcher::Progress progress = (*watcher_)->Take(kEventsAtOnce, items_);
        if (progress == store::Watcher::Progress::kIdle) return net::BodySource::State::kWaiting;
        if (progress == store::Watcher::Progress::kEnded)
          return End((*watcher_)->why(), out, after);
        if (conversion_ != nullptr && !items_.empty()) {
          conversion_->Begin(std::exchange(items_, {}));
          continue;
        }
      }
      for (; next_item_ < items_.size() && taken < room; ++next_item_) {
        const size_t begin = out.size();
        // Events of the initial state are this watch's alone, and keep what they were encoded as:
        // they go as soon as they are told, whenever more is asked for.
        const store::WatchItem item = std::move(items_[next_item_]);
        if (const Result<void> sent = Append(item, out); !sent) {
          out.Truncate(begin);
          return End(sent.error(), out, after);
        }
        taken += out.size() - begin;
        after();
      }
      if (budget.spent()) break;
    }
    return net::BodySource::State::kMore;
  }

 private:
  template <typename After>
  Result<net::BodySource::State> End(const Status& why, ByteBuffer& out, After after) {
    // What is served in another way from now on is no fault: who asks again is answered.
    if (storage_.retired()) return net::BodySource::State::kEnd;
    SKIFF_RETURN_IF_ERROR(encoder_->AppendError(why, out));
    after();
    return net::BodySource::State::kEnd;
  }

  // An object that cannot be shown ends the watch: whoever goes on without it has a gap.
  Result<void> Append(const store::WatchItem& item, ByteBuffer& out) {
    if (const store::CacheEntry* entry = item.event->Object(item.type); entry != nullptr) {
      SKIFF_RETURN_IF_ERROR(storage_.CheckReadable(*entry));
    }
    return encoder_->Append(item, out);
  }

  const std::shared_ptr<const void> served_by_;
  const ResourceStorage& storage_;
  Result<std::unique_ptr<store::Watcher>> watcher_;
  std::unique_ptr<WatchEncoder> encoder_;
  std::unique_ptr<WatchConversion> conversion_;  // null: there is nothing to convert
  std::shared_ptr<Waker> waker_;
  Clock& clock_;
  Deadlines& deadlines_;
  Deadlines::Key deadline_;
  std::vector<store::WatchItem> items_;  // taken, and told up to next_item_
  size_t next_item_ = 0;
};

class WatchSource final : public net::BodySource {
 public:
  explicit WatchSource(std::unique_ptr<WatchFeed> feed) : feed_(std::move(feed)) {}

  void OnStart(std::function<void()> wake) override { feed_->Start(std::move(wake)); }
  Result<State> Read(ByteBuffer& out, size_t room) override {
    return feed_->Take(out, room, [] {});
  }
  Duration Deadline() const override { return feed_->Deadline(); }

 private:
  std::unique_ptr<WatchFeed> feed_;
};

class WatchSocket final : public net::WebSocketEndpoint {
 public:
  WatchSocket(std::unique_ptr<WatchFeed> feed, serving::MediaKind media)
      : feed_(std::move(feed)), text_(media != serving::MediaKind::kProtobuf) {}

  void OnStart(std::function<void()> wake) override { feed_->Start(std::move(wake)); }
  Result<net::BodySource::State> Write(net::WebSocketWriter& out, size_t room) override {
    ByteBuffer message;
    return feed_->Take(message, room, [&] {
      if (text_) {
        out.Text(message.view());
      } else {
        out.Binary(message.view());
      }
      message.Clear();
    });
  }
  Duration Deadline() const override { return feed_->Deadline(); }

 private:
  std::unique_ptr<WatchFeed> feed_;
  const bool text_;
};

// Whether clients look for this error in the stream and not in the answer's head: the request was
// good, but the server cannot follow from there.
bool IsToldAsEvent(const Status& why) {
  return why.reason() == StatusReason::kExpired || why.reason() == StatusReason::kTimeout;
}

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

void RespondWatch(serving::ApiRequest& request, const Endpoint& endpoint,
                  const serving::OutputFormat& format,
                  Result<std::unique_ptr<store::Watcher>> watcher,
                  std::unique_ptr<WatchConversion> conversion, std::shared_ptr<Waker> waker,
                  Duration until) {
  if (!watcher && !IsToldAsEvent(watcher.error()))
    return serving::RespondError(request, watcher.error());
  auto encoder = MakeWatchEncoder(request, endpoint, format);
  if (!encoder) return serving::RespondError(request, encoder.error());
  auto feed =
      std::make_unique<WatchFeed>(request.served_by, *endpoint.storage, std::move(watcher),
                                  std::move(*encoder), std::move(conversion), std::move(waker),
                                  endpoint.context->clock, endpoint.context->deadlines, until);
  if (net::IsWebSocketRequest(request.http)) {
    return serving::RespondUpgrade(
        request,
        net::AcceptWebSocket(request.http, "",
                             std::make_unique<WatchSocket>(std::move(feed), format.media)));
  }
  std::string content_type(format.content_type());
  if (format.media == serving::MediaKind::kProtobuf) content_type += ";stream=watch";
  serving::RespondStream(request, 200, content_type, serving::StreamSize::kEvents,
                         std::make_unique<WatchSource>(std::move(feed)));
}

}  // namespace

namespace {

store::CacheWatchRequest WatchRequestOf(ListOptions options) {
  store::CacheWatchRequest watch;
  watch.selection = std::move(options.selection);
  watch.resource_version = std::move(options.resource_version);
  watch.resource_version_match = std::move(options.resource_version_match);
  watch.continue_token = std::move(options.continue_token);
  watch.send_initial_events = options.send_initial_events;
  watch.allow_bookmarks = options.allow_watch_bookmarks;
  return watch;
}

// Within the process nobody needs to come back from time to time: the watch has no deadline.
void WatchLocally(serving::ApiRequestPtr request, const Endpoint& endpoint, ListOptions options) {
  store::CacheWatchRequest watch = WatchRequestOf(std::move(options));
  watch.wake = [answer = request->local] { answer->rest().Wake(); };
  endpoint.storage->cache().Watch(
      std::move(watch), [request = std::move(request),
                         &endpoint](Result<std::unique_ptr<store::Watcher>> watcher) mutable {
        if (!watcher) return serving::RespondError(*request, watcher.error());
        serving::RespondLocally(*request, 200, [&](serving::LocalResponse& answer) {
          answer.rest().Watching(endpoint.SharedView(*request), std::move(*watcher));
        });
      });
}

// Null: nothing has to be converted. Takes what only converted objects can be selected by.
Result<std::unique_ptr<WatchConversion>> MakeConversion(const Endpoint& endpoint,
                                                        store::SelectionRequest& selection,
                                                        const std::shared_ptr<Waker>& waker) {
  if (endpoint.converter() == nullptr) return nullptr;
  std::shared_ptr<const store::Selection> by_fields;
  if (auto fields = TakeConvertedFields(endpoint, selection); fields) {
    SKIFF_ASSIGN_OR_RETURN(by_fields, BindSelection(*endpoint.storage, std::move(*fields)));
  }
  return std::make_unique<WatchConversion>(endpoint, std::move(by_fields), waker);
}

}  // namespace

void HandleWatch(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  const Result<serving::OutputFormat> format =
      serving::NegotiateOutput(*request, serving::ResponseKind::kWatch);
  if (!format) return serving::RespondError(*request, format.error());
  Result<ListOptions> options = ReadListOptions(*request, endpoint);
  if (!options) return serving::RespondError(*request, options.error());
  if (request->local != nullptr) {
    return WatchLocally(std::move(request), endpoint, std::move(*options));
  }
  RestContext& context = *endpoint.context;
  const Duration until = context.clock.Monotonic() + WatchTimeout(*options, context);
  auto waker = std::make_shared<Waker>();
  auto conversion = MakeConversion(endpoint, options->selection, waker);
  if (!conversion) return serving::RespondError(*request, conversion.error());
  store::CacheWatchRequest watch = WatchRequestOf(std::move(*options));
  watch.deadline = until;
  watch.wake = [waker] { waker->Wake(); };
  endpoint.storage->cache().Watch(std::move(watch),
                                  [request = std::move(request), &endpoint, format = *format, waker,
                                   conversion = std::move(*conversion),
                                   until](Result<std::unique_ptr<store::Watcher>> watcher) mutable {
                                    RespondWatch(*request, endpoint, format, std::move(watcher),
                                                 std::move(conversion), std::move(waker), until);
                                  });
}

}  // namespace skiff::apiserver
