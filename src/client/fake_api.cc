#include "client/fake_api.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "client/fake_meta.h"

namespace skiff::client {
namespace {

Status Closed() { return Status(StatusReason::kServiceUnavailable, "the client has been closed"); }

ObjectPtr BookmarkOf(const ApiResource& resource, int64_t revision, bool initial_end) {
  const std::string annotations =
      initial_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  return ParseObject(resource, R"({"metadata":{"resourceVersion":")" + std::to_string(revision) +
                                   "\"" + annotations + "}}")
      .value_or(nullptr);
}

}  // namespace

// One watch: a place in the history of the objects, from which it goes on when there is more.
class FakeApi::Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  Watcher(FakeApi& api, uint64_t id, WatchCall call, ClientWatchSink* sink)
      : api_(api), id_(id), call_(std::move(call)), sink_(sink) {}

  void Wake() {
    if (woken_ || sink_ == nullptr) return;
    woken_ = true;
    api_.Later(begun_ ? api_.watch_delay_ : api_.delay_, [self = shared_from_this()] {
      self->woken_ = false;
      if (self->sink_ != nullptr && !self->api_.held_) self->Go();
    });
  }

  void Bookmark() {
    bookmark_ = true;
    Wake();
  }

  void End(std::optional<Status> why) {
    if (sink_ == nullptr) return;
    ClientWatchSink* sink = Leave();
    sink->OnEnd(std::move(why));
  }

  // Nothing is called any more.
  ClientWatchSink* Leave() {
    if (sink_ == nullptr) return nullptr;
    const std::shared_ptr<Watcher> self = shared_from_this();
    api_.watches_.erase(id_);
    return std::exchange(sink_, nullptr);
  }

 private:
  void Go() {
    if (api_.closed_) return End(Closed());
    std::vector<ClientEvent> events;
    if (!begun_) {
      begun_ = true;
      if (std::optional<Status> why = Begin(events); why) return End(std::move(why));
    }
    const auto changes = api_.objects_->ChangesAfter(seen_, FakeObjects::KeyOf(*call_.resource));
    if (!changes) {
      return End(Status(StatusReason::kExpired,
                        "too old resource version: " + std::to_string(seen_) + " (" +
                            std::to_string(api_.objects_->revision()) + ")"));
    }
    for (const FakeObjects::Change& change : *changes) Append(change, events);
    seen_ = std::max(seen_, api_.objects_->revision());
    if (std::exchange(bookmark_, false)) {
      events.push_back({ClientEvent::Type::kBookmark, BookmarkOf(*call_.resource, seen_, false)});
    }
    if (!events.empty()) sink_->OnEvents(events);
  }

  std::optional<Status> Begin(std::vector<ClientEvent>& events) {
    if (std::optional<Status> fault = Take(api_.watch_faults_); fault) return fault;
    if (auto served = api_.objects_->CheckServed(*call_.resource); !served) return served.error();
    if (call_.send_initial_events && !api_.streamed_lists_) {
      return Status(StatusReason::kInvalid,
                    "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: "
                    "sendInitialEvents is forbidden for watch unless the WatchList feature gate "
                    "is enabled");
    }
    auto matches =
        FakeObjects::Matcher(call_.name_space, call_.label_selector, call_.field_selector);
    if (!matches) return matches.error();
    matches_ = std::move(*matches);
    const std::string& version = call_.resource_version;
    std::from_chars(version.data(), version.data() + version.size(), seen_);
    if (!call_.send_initial_events && seen_ != 0) return std::nullopt;
    for (const ObjectPtr& object : api_.objects_->All(*call_.resource)) {
      if (matches_(*object)) events.push_back({ClientEvent::Type::kAdded, InForm(object)});
    }
    seen_ = api_.objects_->revision();
    if (call_.send_initial_events) {
      events.push_back(
          {ClientEvent::Type::kBookmark, BookmarkOf(*call_.resource, seen_, true), true});
    }
    return std::nullopt;
  }

  void Append(const FakeObjects::Change& change, std::vector<ClientEvent>& events) const {
    using Type = ClientEvent::Type;
    const bool before = change.before != nullptr && matches_(*change.before);
    const bool after = !change.deleted && matches_(*change.object);
    if (!before && !after) return;
    const Type type = !before ? Type::kAdded : after ? Type::kModified : Type::kDeleted;
    events.push_back({type, InForm(change.object)});
  }

  ObjectPtr InForm(const ObjectPtr& object) const {
    return FakeObjects::InForm(*call_.resource, call_.metadata_only, object);
  }

  FakeApi& api_;
  const uint64_t id_;
  const WatchCall call_;
  ClientWatchSink* sink_;  // null: ended
  std::function<bool(const object::Document&)> matches_;
  int64_t seen_ = 0;
  bool begun_ = false;
  bool woken_ = false;
  bool bookmark_ = false;
};

class FakeApi::Handle final : public ClientWatch {
 public:
  explicit Handle(const std::shared_ptr<Watcher>& watcher) : watcher_(watcher) {}
  ~Handle() override {
    if (const auto watcher = watcher_.lock(); watcher != nullptr) watcher->Leave();
  }

 private:
  const std::weak_ptr<Watcher> watcher_;
};

FakeApi::FakeApi(Executor& executor, uint64_t seed)
    : FakeApi(executor, std::make_shared<FakeObjects>(executor.clock(), seed)) {}

FakeApi::FakeApi(Executor& executor, std::shared_ptr<FakeObjects> objects)
    : executor_(executor),
      objects_(std::move(objects)),
      self_(std::make_shared<FakeApi*>(this)),
      listener_(objects_->Listen([this] { WakeWatches(); })) {}

FakeApi::~FakeApi() {
  objects_->StopListening(listener_);
  // Whoever is answered may ask again.
  while (!closed_ || !open_.empty() || !discoveries_.empty() || !watches_.empty()) Close();
  *self_ = nullptr;
}

void FakeApi::Later(Duration delay, Executor::Work work) {
  auto guarded = [self = self_, work = std::move(work)]() mutable {
    if (*self != nullptr) work();
  };
  if (closed_ || delay == Duration::zero()) {
    executor_.Post(std::move(guarded));
  } else {
    executor_.After(delay, std::move(guarded));
  }
}

const ApiResource* FakeApi::Kept(const ApiResource& resource) {
  const auto found = std::ranges::find(resources_, resource);
  return found != resources_.end() ? &*found : &resources_.emplace_back(resource);
}

void FakeApi::Send(ClientCall call, Done done) {
  const uint64_t id = ++last_id_;
  open_[id] = std::move(done);
  if (!closed_) {
    calls_.push_back(call);
    calls_.back().resource = Kept(*call.resource);
  }
  Later(delay_ / 2, [this, id, call = std::move(call)] { Carry(id, call); });
}

void FakeApi::Carry(uint64_t id, const ClientCall& call) {
  if (!open_.contains(id)) return;
  if (closed_) return Answer(id, std::unexpected(Closed()));
  Result<ClientReply> reply = std::unexpected(Closed());
  if (FakeFault* fault = FindFault(call); fault != nullptr) {
    Status status = fault->status;
    const bool carried_out = fault->carried_out;
    if (fault->times > 0 && --fault->times == 0) {
      faults_.remove_if([&](const FakeFault& each) { return &each == fault; });
    }
    if (carried_out) static_cast<void>(objects_->Do(call));
    reply = std::unexpected(std::move(status));
  } else {
    reply = objects_->Do(call);
  }
  const Duration back = delay_ - delay_ / 2;
  if (back == Duration::zero()) return Answer(id, std::move(reply));
  Later(back, [this, id, reply = std::move(reply)]() mutable { Answer(id, std::move(reply)); });
}

void FakeApi::Answer(uint64_t id, Result<ClientReply> reply) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  Done done = std::move(found->second);
  open_.erase(found);
  done(std::move(reply));
}

FakeFault* FakeApi::FindFault(const ClientCall& call) {
  for (FakeFault& fault : faults_) {
    if (fault.verb && *fault.verb != call.verb) continue;
    if (!fault.resource.empty() && fault.resource != call.resource->name) continue;
    if (!fault.subresource.empty() && fault.subresource != call.subresource) continue;
    if (!fault.name.empty() && fault.name != call.target.name) continue;
    return &fault;
  }
  return nullptr;
}

std::optional<Status> FakeApi::Take(std::list<Times>& faults) {
  if (faults.empty()) return std::nullopt;
  Status status = faults.front().status;
  if (faults.front().times > 0 && --faults.front().times == 0) faults.pop_front();
  return status;
}

void FakeApi::FailNext(ClientVerb verb, int times, Status status) {
  Fail({.verb = verb, .times = times, .status = std::move(status)});
}

std::unique_ptr<ClientWatch> FakeApi::Watch(WatchCall call, ClientWatchSink* sink) {
  const uint64_t id = ++last_id_;
  if (!closed_) {
    watch_calls_.push_back(call);
    watch_calls_.back().resource = Kept(*call.resource);
  }
  const auto watcher = std::make_shared<Watcher>(*this, id, std::move(call), sink);
  watches_[id] = watcher;
  watcher->Wake();
  return std::make_unique<Handle>(watcher);
}

void FakeApi::Discover(std::move_only_function<void(Result<ServedApi>)> done) {
  const uint64_t id = ++last_id_;
  discoveries_[id] = std::move(done);
  Later(delay_, [this, id] {
    const auto found = discoveries_.find(id);
    if (found == discoveries_.end()) return;
    auto answer = std::move(found->second);
    discoveries_.erase(found);
    if (closed_) return answer(std::unexpected(Closed()));
    if (std::optional<Status> fault = Take(discovery_faults_); fault) {
      return answer(std::unexpected(std::move(*fault)));
    }
    answer(objects_->Discover());
  });
}

void FakeApi::Close() {
  closed_ = true;
  auto open = std::exchange(open_, {});
  for (auto& [id, done] : open) done(std::unexpected(Closed()));
  auto discoveries = std::exchange(discoveries_, {});
  for (auto& [id, done] : discoveries) done(std::unexpected(Closed()));
  BreakWatches(Closed());
}

void FakeApi::BreakWatches(std::optional<Status> why) {
  const auto watches = watches_;
  for (const auto& [id, watch] : watches) watch->End(why);
}

void FakeApi::HoldWatches(bool held) {
  held_ = held;
  if (!held) WakeWatches();
}

void FakeApi::SendBookmarks() {
  for (const auto& [id, watch] : watches_) watch->Bookmark();
}

void FakeApi::WakeWatches() {
  for (const auto& [id, watch] : watches_) watch->Wake();
}

size_t FakeApi::CountOf(ClientVerb verb, std::string_view resource) const {
  return static_cast<size_t>(std::ranges::count_if(calls_, [&](const ClientCall& call) {
    return call.verb == verb && (resource.empty() || call.resource->name == resource);
  }));
}

}  // namespace skiff::client
