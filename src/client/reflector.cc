#include "client/reflector.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace skiff::client {
namespace {

// The server has not seen this version yet, and perhaps never will: it may have lost its data.
bool IsTooLarge(const Status& status) {
  return std::ranges::any_of(status.causes(), [](const StatusCause& cause) {
    return cause.reason == "ResourceVersionTooLarge";
  });
}

bool IsTooLong(const Status& status) {
  return std::ranges::any_of(
      status.causes(), [](const StatusCause& cause) { return cause.reason == kAnswerTooLong; });
}

bool IsExpired(const Status& status) {
  return status.reason() == StatusReason::kExpired || status.reason() == StatusReason::kGone;
}

// The server does not know streamed lists.
bool RefusesStreams(const Status& status) {
  return status.reason() == StatusReason::kInvalid ||
         status.reason() == StatusReason::kBadRequest ||
         status.reason() == StatusReason::kMethodNotAllowed;
}

// Nothing is known against the version that the watch was to go on from.
bool MayResume(const Status& status) {
  switch (status.reason()) {
    case StatusReason::kExpired:
    case StatusReason::kGone:
    case StatusReason::kInvalid:
    case StatusReason::kBadRequest:
    case StatusReason::kNotFound:
    case StatusReason::kMethodNotAllowed:
      return false;
    default:
      return !IsTooLarge(status);
  }
}

}  // namespace

Reflector::Reflector(ClientTransport& transport, std::shared_ptr<const ApiResource> resource,
                     InformerOptions options, Random& random, Log* log, Target& target)
    : transport_(transport),
      resource_(std::move(resource)),
      options_(std::move(options)),
      random_(random),
      log_(log),
      target_(target),
      self_(std::make_shared<Reflector*>(this)) {}

Reflector::~Reflector() {
  *self_ = nullptr;
  transport_.executor().Cancel(timer_);
}

void Reflector::Read() {
  reading_ = true;
  state_.clear();
  state_version_.clear();
  if (streams_) return ReadStreamed();
  watch_.reset();
  ReadPage({});
}

WatchCall Reflector::CallOf() const {
  WatchCall call;
  call.resource = resource_.get();
  call.label_selector = options_.label_selector;
  call.field_selector = options_.field_selector;
  call.metadata_only = options_.metadata_only;
  return call;
}

void Reflector::ReadStreamed() {
  WatchCall call = CallOf();
  call.send_initial_events = true;
  if (!version_lost_) call.resource_version = version_;
  watch_ = transport_.Watch(std::move(call), this);
}

void Reflector::ReadPage(std::string continue_token) {
  ClientCall call;
  call.verb = ClientVerb::kList;
  call.resource = resource_.get();
  call.label_selector = options_.label_selector;
  call.field_selector = options_.field_selector;
  call.metadata_only = options_.metadata_only;
  const bool continued = !continue_token.empty();
  if (!continued && !version_lost_) {
    if (!version_.empty()) {
      call.resource_version = version_;
      call.resource_version_match = "NotOlderThan";
    } else if (!paginated_) {
      call.resource_version = "0";
    }
  }
  // Servers would leave their cache for pages of a certain version.
  const bool whole = !continued && call.resource_version == version_ && !version_.empty();
  if (pages_ && (!whole || paginated_)) call.limit = limits::kInformerPageSize;
  call.continue_token = std::move(continue_token);
  // The resource must live until the answer, which this reflector need not.
  transport_.Send(std::move(call),
                  [self = self_, resource = resource_, continued](Result<ClientReply> reply) {
                    if (*self != nullptr) (*self)->OnPage(std::move(reply), continued);
                  });
}

void Reflector::OnPage(Result<ClientReply> reply, bool continued) {
  if (!reply) {
    // What was begun cannot be finished: the next attempt asks for all at once.
    if (continued && IsExpired(reply.error())) pages_ = false;
    if (IsTooLong(reply.error())) pages_ = paginated_ = true;
    return OnReadFailure(reply.error());
  }
  for (ObjectPtr& item : reply->items) {
    ObjectName name = NameOf(*item);
    state_[std::move(name)] = std::move(item);
  }
  if (state_version_.empty()) state_version_ = reply->resource_version;
  if (!reply->continue_token.empty()) paginated_ = true;
  if (!reply->continue_token.empty()) return ReadPage(std::move(reply->continue_token));
  pages_ = true;
  OnState(std::move(state_version_));
  Watch();
}

void Reflector::OnState(std::string version) {
  version_ = std::move(version);
  version_lost_ = false;
  reading_ = false;
  target_.Replace(std::exchange(state_, {}));
}

void Reflector::Watch() {
  WatchCall call = CallOf();
  call.resource_version = version_;
  watch_began_ = transport_.executor().clock().Monotonic();
  watch_told_ = false;
  watch_ = transport_.Watch(std::move(call), this);
}

void Reflector::OnEvents(std::span<const ClientEvent> events) {
  for (const ClientEvent& event : events) {
    if (reading_) {
      OnInitialEvent(event);
    } else {
      OnEvent(event);
    }
  }
}

void Reflector::OnInitialEvent(const ClientEvent& event) {
  switch (event.type) {
    case ClientEvent::Type::kAdded:
    case ClientEvent::Type::kModified:
      state_[NameOf(*event.object)] = event.object;
      break;
    case ClientEvent::Type::kDeleted:
      state_.erase(NameOf(*event.object));
      break;
    case ClientEvent::Type::kBookmark:
      if (!event.initial_end) break;
      watch_began_ = transport_.executor().clock().Monotonic();
      watch_told_ = true;
      OnState(std::string(ResourceVersionOf(*event.object)));
      break;
  }
}

void Reflector::OnEvent(const ClientEvent& event) {
  watch_told_ = true;
  version_ = ResourceVersionOf(*event.object);
  switch (event.type) {
    case ClientEvent::Type::kAdded:
    case ClientEvent::Type::kModified:
      target_.Set(event.object);
      break;
    case ClientEvent::Type::kDeleted:
      target_.Remove(event.object);
      break;
    case ClientEvent::Type::kBookmark:
      break;
  }
}

void Reflector::OnEnd(std::optional<Status> why) {
  if (reading_) return OnReadEnd(std::move(why));
  OnWatchEnd(why);
}

// A streamed list ended before it was complete.
void Reflector::OnReadEnd(std::optional<Status> why) {
  if (why && RefusesStreams(*why)) {
    streams_ = false;
    return Schedule(Step::kRead, Duration::zero());
  }
  if (why) return OnReadFailure(*why);
  Fail(Step::kRead, nullptr);
}

void Reflector::OnReadFailure(const Status& why) {
  if (IsExpired(why) || IsTooLarge(why)) version_lost_ = true;
  Fail(Step::kRead, &why);
}

void Reflector::OnWatchEnd(const std::optional<Status>& why) {
  if (why) return Fail(MayResume(*why) ? Step::kWatch : Step::kRead, &*why);
  const Duration lasted = transport_.executor().clock().Monotonic() - watch_began_;
  if (!watch_told_ && lasted < kShortWatch) return Fail(Step::kWatch, nullptr);
  Schedule(Step::kWatch, Duration::zero());
}

void Reflector::Fail(Step next, const Status* why) {
  const Duration pause = Pause(why);
  if (log_ != nullptr) {
    log_->Warning(next == Step::kRead ? "failed to follow a resource; its state is read again"
                                      : "failed to watch a resource; the watch goes on later",
                  {{"resource", resource_->name},
                   {"apiVersion", resource_->api_version()},
                   {"err", why != nullptr ? why->ToString() : "it ended at once"}});
  }
  Schedule(next, pause);
}

Duration Reflector::Pause(const Status* why) {
  const Duration now = transport_.executor().clock().Monotonic();
  if (now - last_failure_ > kCalm) failures_ = 0;
  last_failure_ = now;
  Duration pause = kFirstPause * (int64_t{1} << std::min<uint32_t>(failures_, 10));
  ++failures_;
  pause = std::min(pause, kLongestPause);
  const double jitter = 1 + random_.UniformDouble();
  pause = std::min(Duration(static_cast<int64_t>(static_cast<double>(pause.count()) * jitter)),
                   kLongestPause);
  if (why != nullptr) {
    const Duration asked = std::chrono::seconds(why->retry_after_seconds());
    pause = std::max(pause, std::min(asked, kLongestPause));
  }
  return pause;
}

// Always in a later turn, since a watch that is ending must not be destroyed in its own call.
void Reflector::Schedule(Step next, Duration delay) {
  timer_ = transport_.executor().After(delay, [this, next] {
    timer_ = {};
    if (next == Step::kRead) return Read();
    Watch();
  });
}

}  // namespace skiff::client
