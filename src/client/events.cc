#include "client/events.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/buffer.h"
#include "base/hex.h"
#include "base/limits.h"
#include "client/event_correlator.h"
#include "object/json/text.h"
#include "object/scalar/names.h"
#include "views/core/v1.h"

namespace skiff::client {
namespace {

namespace core = views::core_v1;

// How often an event is tried to be written, and the time between; the first is random, so that
// clients do not all come at once after a server was away.
constexpr int kMaxTries = 12;
constexpr Duration kRetryPeriod = std::chrono::seconds(10);

const ApiResource& Events() { return BuiltIn("", "v1", "events"); }

// Events about what has no namespace are kept in this one.
std::string NamespaceOf(const EventDraft& event) {
  return event.about.name_space.empty() ? "default" : event.about.name_space;
}

ObjectPtr ToObject(const EventDraft& event) {
  auto object = std::make_shared<object::Document>(core::Event::New());
  core::MutableEvent writer(*object);
  auto metadata = writer.mutable_metadata();
  metadata.set_name(event.name);
  metadata.set_namespace(NamespaceOf(event));
  auto about = writer.mutable_involved_object();
  about.set_kind(event.about.kind);
  about.set_namespace(event.about.name_space);
  about.set_name(event.about.name);
  about.set_uid(event.about.uid);
  about.set_api_version(event.about.api_version);
  about.set_resource_version(event.about.resource_version);
  writer.set_reason(event.reason);
  writer.set_message(event.message);
  writer.mutable_source().set_component(event.component);
  writer.set_first_timestamp(event.first);
  writer.set_last_timestamp(event.last);
  writer.set_count(event.count);
  writer.set_type(event.type);
  // One for many has it in its source only, as Kubernetes' own.
  if (!event.combined) writer.set_reporting_component(event.component);
  return object;
}

// What the same event again changes.
std::string ToPatch(const EventDraft& event) {
  ByteBuffer out;
  out.Append("{\"count\":");
  object::AppendJsonInt(out, event.count);
  std::string time;
  object::AppendTime(event.last, time);
  out.Append(",\"lastTimestamp\":");
  object::AppendJsonString(out, time);
  out.Append(",\"message\":");
  object::AppendJsonString(out, event.message);
  out.Append("}");
  return std::string(out.view());
}

// There was no answer, or none that is final.
bool IsWorthRetrying(const Status& status) {
  switch (status.reason()) {
    case StatusReason::kServiceUnavailable:
    case StatusReason::kTimeout:
    case StatusReason::kServerTimeout:
    case StatusReason::kTooManyRequests:
      return true;
    default:
      return false;
  }
}

// Lives until its last call has been answered, which may be after the recorder has gone.
class Writer : public std::enable_shared_from_this<Writer> {
 public:
  Writer(Client client, Random& random)
      : client_(std::move(client)), executor_(client_.executor()), random_(random) {}

  void Add(EventDraft event) {
    if (queue_.size() >= limits::kMaxQueuedEvents) return;
    event.name = NameFor(event);
    queue_.push_back(std::move(event));
    // Whoever tells does not wait, not even for the call to begin.
    if (std::exchange(busy_, true)) return;
    executor_.Post([self = shared_from_this()] { self->Next(); });
  }

  void Stop() {
    stopped_ = true;
    queue_.clear();
    executor_.Cancel(std::exchange(timer_, {}));
  }

 private:
  std::string NameFor(const EventDraft& event) {
    // Two events of one moment have names of their own.
    last_nanos_ = std::max(last_nanos_ + 1, executor_.clock().Wall().count());
    std::string name = event.about.name + "." + HexNumber(static_cast<uint64_t>(last_nanos_));
    return object::IsDns1123Subdomain(name) ? name : NewUuid(random_);
  }

  void Next() {
    while (!stopped_ && !queue_.empty()) {
      EventDraft event = std::move(queue_.front());
      queue_.pop_front();
      if (correlator_.Correlate(event, NameFor(event), executor_.clock().Monotonic())) {
        Detach(Write(shared_from_this(), std::move(event), 0));
        return;
      }
    }
    busy_ = false;
  }

  // Everything behind waits: when one cannot be written, others cannot either.
  Task<void> Write(std::shared_ptr<Writer> self, EventDraft event, int tries) {
    const Result<void> written = co_await TryToWrite(&event);
    if (stopped_) co_return;
    if (written || !IsWorthRetrying(written.error()) || tries + 1 >= kMaxTries) {
      // By way of the executor, so that answers at hand do not nest.
      executor_.Post([self] { self->Next(); });
      co_return;
    }
    const double share = tries == 0 ? random_.UniformDouble() : 1;
    timer_ = executor_.After(std::chrono::duration_cast<Duration>(kRetryPeriod * share),
                             [self, event = std::move(event), tries] {
                               self->timer_ = {};
                               Detach(self->Write(self, event, tries + 1));
                             });
  }

  Task<Result<void>> TryToWrite(const EventDraft* event) {
    if (event->count > 1) {
      ObjectName name{NamespaceOf(*event), event->name};
      const auto patched =
          co_await client_.Patch(Events(), std::move(name), PatchType::kStrategic, ToPatch(*event));
      if (patched) co_return Result<void>();
      // It has been there for too long and was removed: it begins anew, and goes on counting.
      if (patched.error().reason() != StatusReason::kNotFound) {
        co_return std::unexpected(patched.error());
      }
    }
    const auto created = co_await client_.Create(Events(), ToObject(*event));
    if (!created) co_return std::unexpected(created.error());
    co_return Result<void>();
  }

  Client client_;
  Executor& executor_;
  Random& random_;
  EventCorrelator correlator_;
  std::deque<EventDraft> queue_;
  bool busy_ = false;
  bool stopped_ = false;
  Executor::TimerId timer_;
  int64_t last_nanos_ = 0;
};

class Recorder final : public EventRecorder {
 public:
  Recorder(Client client, std::string component, Random& random)
      : clock_(client.executor().clock()),
        component_(std::move(component)),
        writer_(std::make_shared<Writer>(std::move(client), random)) {}
  ~Recorder() override { writer_->Stop(); }

  void Record(const ApiResource& resource, const object::Document& about, EventLevel level,
              std::string_view reason, std::string message) override {
    const ObjectName name = NameOf(about);
    const auto wall = std::chrono::floor<std::chrono::seconds>(clock_.Wall());
    const object::Timestamp now = object::MakeTimestamp(wall.count(), 0);
    EventDraft event;
    event.about = {.kind = resource.kind,
                   .api_version = resource.api_version(),
                   .name_space = name.name_space,
                   .name = name.name,
                   .uid = std::string(UidOf(about)),
                   .resource_version = std::string(ResourceVersionOf(about))};
    event.component = component_;
    event.type = level == EventLevel::kWarning ? "Warning" : "Normal";
    event.reason = reason;
    event.message = std::move(message);
    event.first = now;
    event.last = now;
    writer_->Add(std::move(event));
  }

 private:
  Clock& clock_;
  const std::string component_;
  const std::shared_ptr<Writer> writer_;
};

}  // namespace

std::unique_ptr<EventRecorder> MakeEventRecorder(Client client, std::string component,
                                                 Random& random) {
  return std::make_unique<Recorder>(std::move(client), std::move(component), random);
}

}  // namespace skiff::client
