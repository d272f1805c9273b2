#include "store/cache/resource_cache.h"

#include <utility>

#include "base/limits.h"
#include "store/cache/cache_feeder.h"
#include "store/cache/cache_state.h"
#include "store/cache/entry_builder.h"
#include "store/cache/store_list.h"

namespace skiff::store {
namespace {

// How often the store is asked for progress so that bookmarks have something to tell.
constexpr Duration kBookmarkProgressInterval = std::chrono::seconds(1);

Status Stopping() { return Status(StatusReason::kServiceUnavailable, "the cache is stopping"); }

Status TooManyWaiting() {
  Status status(StatusReason::kTooManyRequests,
                "too many requests wait for the cache to catch up with the store, try again later");
  status.SetRetryAfterSeconds(1);
  return status;
}

EntryShape ShapeOf(const CacheOptions& options) {
  EntryShape shape;
  shape.namespaced = options.namespaced;
  const auto fields = options.facts->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].trigger || fields[i].indexed) shape.indexed.push_back(i);
  }
  shape.find_field = [facts = options.facts](std::string_view name) {
    return facts->FindField(name);
  };
  return shape;
}

// Where a read is to be answered from.
enum class Source : uint8_t { kCache, kStore };

struct ListJob {
  std::shared_ptr<const Selection> selection;
  ListPlan plan;
  Unreadable unreadable = Unreadable::kFails;
  StoreCallback<ListReply> done;
};

struct WatchJob {
  std::shared_ptr<const Selection> selection;
  WatchPlan plan;
  CacheWatchRequest request;
  StoreCallback<std::unique_ptr<Watcher>> done;
};

}  // namespace

// Shared with the callbacks that it gives to the store, which may come after the cache is gone.
class ResourceCache::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Store& store, Clock& clock, Random& random, CacheOptions options)
      : store_(store),
        clock_(clock),
        random_(random),
        options_(std::move(options)),
        state_(std::make_shared<CacheState>(ShapeOf(options_), options_.ring)),
        feeder_(std::make_shared<CacheFeeder>(store, clock, state_, NewMaker())) {}

  CacheFeeder& feeder() { return *feeder_; }
  CacheState& state() { return *state_; }

  void Stop();
  void Tick();
  void Get(CacheGetRequest request, StoreCallback<CacheGetReply> done);
  void List(CacheListRequest request, StoreCallback<ListReply> done);
  void Watch(CacheWatchRequest request, StoreCallback<std::unique_ptr<Watcher>> done);

 private:
  EntryBuilder NewMaker() const {
    return EntryBuilder(options_.prefix, options_.read, options_.facts, options_.symbols);
  }
  bool ProgressCanBeTrusted() { return options_.events_come_first || store_.HasReliableProgress(); }

  // Calls back when the cache is as fresh as that, or says that the store has to answer.
  void WhenFresh(Freshness freshness, StoreCallback<Source> done);
  void WhenNewest(StoreCallback<Source> done);
  void WaitFor(Revision revision, std::move_only_function<void(Waited)> done);

  void GetFromStore(std::string key, Revision not_older_than, StoreCallback<CacheGetReply> done);
  void AnswerList(ListJob job, Source source);
  void BeginWatch(WatchJob job);
  void BeginWithState(WatchJob job);
  void BeginAfter(WatchJob job, Revision revision);
  void ResumeIfKnown(WatchJob job, Revision revision);
  void Resume(WatchJob job, Revision revision);
  void BeginAt(WatchJob job, std::optional<CacheState::Position> position, Revision revision);
  void Register(WatchJob job, Watcher::Start start);

  Store& store_;
  Clock& clock_;
  Random& random_;
  const CacheOptions options_;
  const std::shared_ptr<CacheState> state_;
  const std::shared_ptr<CacheFeeder> feeder_;
  Duration next_progress_{0};           // of Tick()
  Duration next_bookmark_progress_{0};  // likewise
};

// --- life

void ResourceCache::Core::Stop() {
  feeder_->Stop();
  std::vector<FreshnessQueue::Due> due;
  state_->Stop(due);
  {
    std::lock_guard lock(state_->watchers().mutex());
    state_->watchers().Close(Stopping());
  }
  for (FreshnessQueue::Due& each : due) each();
}

void ResourceCache::Core::Tick() {
  const Duration now = clock_.Monotonic();
  feeder_->Tick(now);
  std::vector<FreshnessQueue::Due> due;
  state_->Expire(now, due);
  for (FreshnessQueue::Due& each : due) each();
  state_->IndexForSelectors();

  bool bookmarks = false;
  {
    WatcherRegistry& watchers = state_->watchers();
    std::lock_guard lock(watchers.mutex());
    // All changes up to this revision are with the watchers, because their publisher holds the lock
    // from before the revision moves.
    if (const auto revision = state_->revision()) {
      watchers.SendBookmarks(*revision, now, random_);
    }
    bookmarks = watchers.anyone_wants_bookmarks() && now >= next_bookmark_progress_;
  }
  if (bookmarks) next_bookmark_progress_ = now + kBookmarkProgressInterval;
  if (bookmarks || (now >= next_progress_ && state_->anyone_waits())) {
    next_progress_ = now + limits::kProgressInterval;
    feeder_->RequestProgress();
  }
}

// --- freshness

void ResourceCache::Core::WhenFresh(Freshness freshness, StoreCallback<Source> done) {
  if (!state_->revision()) return done(Source::kStore);
  switch (freshness.kind) {
    case Freshness::Kind::kAny:
      return done(Source::kCache);
    case Freshness::Kind::kNewest:
      return WhenNewest(std::move(done));
    case Freshness::Kind::kNotOlderThan:
    case Freshness::Kind::kExact:
      break;
  }
  WaitFor(freshness.revision, [self = shared_from_this(), wanted = freshness.revision,
                               done = std::move(done)](Waited waited) mutable {
    if (waited == Waited::kFresh) return done(Source::kCache);
    if (waited == Waited::kStopped) return done(std::unexpected(Stopping()));
    if (waited == Waited::kTooMany) return done(std::unexpected(TooManyWaiting()));
    if (!self->ProgressCanBeTrusted()) return done(Source::kStore);
    done(std::unexpected(
        TooLargeResourceVersion(wanted, self->state_->revision().value_or(Revision{}))));
  });
}

void ResourceCache::Core::WhenNewest(StoreCallback<Source> done) {
  const bool cache_is_current = options_.events_come_first && feeder_->caught_up();
  if (!cache_is_current && !ProgressCanBeTrusted()) return done(Source::kStore);
  store_.CurrentRevision([self = shared_from_this(), cache_is_current,
                          done = std::move(done)](Result<Revision> revision) mutable {
    if (!revision) return done(std::unexpected(std::move(revision.error())));
    if (cache_is_current) {
      self->feeder_->Advance(*revision);
      return done(Source::kCache);
    }
    self->WaitFor(*revision, [done = std::move(done)](Waited waited) mutable {
      if (waited == Waited::kStopped) return done(std::unexpected(Stopping()));
      if (waited == Waited::kTooMany) return done(std::unexpected(TooManyWaiting()));
      done(waited == Waited::kFresh ? Source::kCache : Source::kStore);
    });
  });
}

void ResourceCache::Core::WaitFor(Revision revision, std::move_only_function<void(Waited)> done) {
  state_->WaitFor(revision, clock_.Monotonic() + limits::kFreshnessWait, std::move(done));
  if (state_->revision().value_or(Revision{}) < revision) feeder_->RequestProgress();
}

// --- get

void ResourceCache::Core::Get(CacheGetRequest request, StoreCallback<CacheGetReply> done) {
  const auto freshness = PlanGet(request.resource_version);
  if (!freshness) return done(std::unexpected(freshness.error()));
  std::string key =
      options_.namespaced ? request.name_space + "/" + request.name : std::move(request.name);
  // One key costs etcd no more than telling its revision.
  const bool newest = freshness->kind == Freshness::Kind::kNewest;
  if (newest && !(options_.events_come_first && feeder_->caught_up())) {
    return GetFromStore(std::move(key), {}, std::move(done));
  }
  WhenFresh(*freshness, [self = shared_from_this(), freshness = *freshness, key = std::move(key),
                         done = std::move(done)](Result<Source> source) mutable {
    if (!source) return done(std::unexpected(std::move(source.error())));
    if (*source == Source::kCache) {
      auto found = self->state_->Get(key);
      if (!found) return done(std::unexpected(std::move(found).error()));
      if (*found) return done(CacheGetReply{std::move((*found)->entry), (*found)->revision});
    }
    self->GetFromStore(std::move(key), freshness.revision, std::move(done));
  });
}

void ResourceCache::Core::GetFromStore(std::string key, Revision not_older_than,
                                       StoreCallback<CacheGetReply> done) {
  RangeRequest request;
  request.range = KeyRange::Single(options_.prefix + key);
  store_.Range(std::move(request), [maker = NewMaker(), not_older_than,
                                    done = std::move(done)](Result<RangeReply> reply) mutable {
    if (!reply) return done(std::unexpected(std::move(reply.error())));
    if (reply->revision < not_older_than) {
      return done(std::unexpected(TooLargeResourceVersion(not_older_than, reply->revision)));
    }
    CacheGetReply out{.entry = {}, .revision = reply->revision};
    if (!reply->entries.empty()) out.entry = maker.Make(reply->entries.front());
    done(std::move(out));
  });
}

// --- list

void ResourceCache::Core::List(CacheListRequest request, StoreCallback<ListReply> done) {
  auto selection =
      Selection::Bind(std::move(request.selection), state_->shape(), *options_.symbols);
  if (!selection) return done(std::unexpected(std::move(selection.error())));
  ListJob job;
  job.selection = std::make_shared<const Selection>(std::move(*selection));
  auto plan = PlanList({.resource_version = request.resource_version,
                        .match = request.resource_version_match,
                        .continue_token = request.continue_token,
                        .limit = request.limit,
                        .single = job.selection->single(),
                        .send_initial_events = request.send_initial_events});
  if (!plan) return done(std::unexpected(std::move(plan.error())));
  job.plan = std::move(*plan);
  if (request.without_damaged) job.unreadable = Unreadable::kLeftOut;
  const bool in_pages = job.plan.limit > 0 && job.selection->unfiltered();
  if (!state_->revision() && !in_pages && !job.selection->single()) {
    return done(std::unexpected(CacheNotReady()));
  }
  job.done = std::move(done);
  const Freshness freshness = job.plan.freshness;
  WhenFresh(freshness,
            [self = shared_from_this(), job = std::move(job)](Result<Source> source) mutable {
              if (!source) return job.done(std::unexpected(std::move(source.error())));
              self->AnswerList(std::move(job), *source);
            });
}

void ResourceCache::Core::AnswerList(ListJob job, Source source) {
  const ListPlan& plan = job.plan;
  const bool exact = plan.freshness.kind == Freshness::Kind::kExact;
  std::string start =
      plan.continues ? ListReply::StartOf(plan.start_key, *job.selection) : std::string();
  if (source == Source::kCache) {
    const Duration now = clock_.Monotonic();
    auto reply =
        exact ? state_->ListAt(plan.freshness.revision, job.selection, start, plan.limit, now)
              : state_->List(job.selection, start, plan.limit, now, job.unreadable);
    if (!reply) return job.done(std::unexpected(std::move(reply).error()));
    if (*reply) return job.done(std::move(**reply));
  }
  ListFromStore(store_, NewMaker(),
                {.selection = job.selection,
                 .at = exact ? plan.freshness.revision : Revision{},
                 .not_older_than = plan.freshness.revision,
                 .start_key = std::move(start),
                 .limit = plan.limit,
                 .continues = plan.continues},
                std::move(job.done));
}

// --- watch

void ResourceCache::Core::Watch(CacheWatchRequest request,
                                StoreCallback<std::unique_ptr<Watcher>> done) {
  auto plan = PlanWatch({.resource_version = request.resource_version,
                         .match = request.resource_version_match,
                         .continue_token = request.continue_token,
                         .send_initial_events = request.send_initial_events,
                         .allow_bookmarks = request.allow_bookmarks});
  if (!plan) return done(std::unexpected(std::move(plan.error())));
  auto selection =
      Selection::Bind(std::move(request.selection), state_->shape(), *options_.symbols);
  if (!selection) return done(std::unexpected(std::move(selection.error())));
  if (!state_->revision()) return done(std::unexpected(CacheNotReady()));
  BeginWatch({.selection = std::make_shared<const Selection>(std::move(*selection)),
              .plan = *plan,
              .request = std::move(request),
              .done = std::move(done)});
}

void ResourceCache::Core::BeginWatch(WatchJob job) {
  const Freshness freshness = job.plan.freshness;
  if (!job.plan.initial_state && freshness.kind == Freshness::Kind::kExact) {
    return ResumeIfKnown(std::move(job), freshness.revision);
  }
  if (!job.plan.initial_state && freshness.kind == Freshness::Kind::kNewest) {
    return store_.CurrentRevision(
        [self = shared_from_this(), job = std::move(job)](Result<Revision> revision) mutable {
          if (!revision) return job.done(std::unexpected(std::move(revision.error())));
          self->BeginAfter(std::move(job), *revision);
        });
  }
  WhenFresh(freshness,
            [self = shared_from_this(), job = std::move(job)](Result<Source> source) mutable {
              if (!source && !job.plan.best_effort)
                return job.done(std::unexpected(source.error()));
              if (source && *source == Source::kStore && !job.plan.best_effort) {
                // Clients take it for a server without that feature, and list instead.
                return job.done(Fail(StatusReason::kInvalid,
                                     "sendInitialEvents needs a store that tells its progress"));
              }
              if (job.plan.initial_state) return self->BeginWithState(std::move(job));
              const Revision now = self->state_->revision().value_or(Revision{});
              self->BeginAfter(std::move(job), now);
            });
}

void ResourceCache::Core::BeginWithState(WatchJob job) {
  auto found = state_->BeginWithState(
      job.selection, clock_.Monotonic(),
      job.request.without_damaged ? Unreadable::kLeftOut : Unreadable::kFails);
  if (!found) return job.done(std::unexpected(std::move(found).error()));
  if (!*found) return job.done(std::unexpected(CacheNotReady()));
  auto& beginning = *found;
  const Revision revision = beginning->state.revision();
  Watcher::Start start{.state = state_, .selection = job.selection};
  start.initial_end = job.plan.initial_end;
  start.initial_revision = revision;
  start.initial = std::move(beginning->state);
  start.next = beginning->next;
  Register(std::move(job), std::move(start));
}

void ResourceCache::Core::BeginAfter(WatchJob job, Revision revision) {
  BeginAt(std::move(job), state_->BeginAfter(revision), revision);
}

// Once the store has gone back, a revision that it has not come to may be one of the history that
// is lost, of which the client must be told.
void ResourceCache::Core::ResumeIfKnown(WatchJob job, Revision revision) {
  if (!state_->went_back() || revision <= state_->revision().value_or(Revision{})) {
    return Resume(std::move(job), revision);
  }
  store_.CurrentRevision([self = shared_from_this(), revision,
                          job = std::move(job)](Result<Revision> current) mutable {
    if (!current) return job.done(std::unexpected(std::move(current.error())));
    if (revision > *current) return job.done(std::unexpected(WatchExpired()));
    self->Resume(std::move(job), revision);
  });
}

void ResourceCache::Core::Resume(WatchJob job, Revision revision) {
  BeginAt(std::move(job), state_->ResumeAfter(revision), revision);
}

void ResourceCache::Core::BeginAt(WatchJob job, std::optional<CacheState::Position> position,
                                  Revision revision) {
  if (!position) return job.done(std::unexpected(CacheNotReady()));
  if (!position->next) {
    return job.done(std::unexpected(TooOldToWatch(revision, position->oldest)));
  }
  Watcher::Start start{.state = state_, .selection = job.selection};
  start.after = position->repeats ? Revision{revision.value - 1} : revision;
  start.next = *position->next;
  Register(std::move(job), std::move(start));
}

void ResourceCache::Core::Register(WatchJob job, Watcher::Start start) {
  start.bookmarks = job.request.allow_bookmarks;
  start.deadline = job.request.deadline;
  start.wake = std::move(job.request.wake);
  auto watcher = std::make_unique<Watcher>(std::move(start));
  bool served = false;
  bool room = false;
  {
    WatcherRegistry& watchers = state_->watchers();
    std::lock_guard lock(watchers.mutex());
    // The state is given up under this lock, too: either the watcher is ended with the others, or
    // it finds out here.
    served = state_->revision().has_value();
    room = watchers.size() < limits::kMaxWatchers;
    if (served && room) {
      watchers.Add(watcher.get(), clock_.Monotonic() + limits::kBookmarkInterval);
    }
  }
  if (!served) return job.done(std::unexpected(CacheNotReady()));
  if (!room) {
    return job.done(Fail(StatusReason::kTooManyRequests, "too many watches of this resource"));
  }
  job.done(std::move(watcher));
}

// --- the handle

ResourceCache::ResourceCache(Store& store, Clock& clock, Random& random, CacheOptions options)
    : core_(std::make_shared<Core>(store, clock, random, std::move(options))) {}

ResourceCache::~ResourceCache() { Stop(); }

void ResourceCache::Start(StoreCallback<Revision> loaded) {
  core_->feeder().Start(std::move(loaded));
}
void ResourceCache::Stop() { core_->Stop(); }
void ResourceCache::Tick() { core_->Tick(); }

bool ResourceCache::ready() const { return core_->state().revision().has_value(); }
Revision ResourceCache::revision() const { return core_->state().revision().value_or(Revision{}); }
std::string ResourceCache::fault() const { return core_->feeder().fault(); }
size_t ResourceCache::watcher_count() const {
  std::lock_guard lock(core_->state().watchers().mutex());
  return core_->state().watchers().size();
}

void ResourceCache::Get(CacheGetRequest request, StoreCallback<CacheGetReply> done) {
  core_->Get(std::move(request), std::move(done));
}
void ResourceCache::List(CacheListRequest request, StoreCallback<ListReply> done) {
  core_->List(std::move(request), std::move(done));
}
void ResourceCache::Watch(CacheWatchRequest request, StoreCallback<std::unique_ptr<Watcher>> done) {
  core_->Watch(std::move(request), std::move(done));
}

}  // namespace skiff::store
