#include "store/etcd/watch.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "store/etcd/convert.h"
#include "store/etcd/range.h"
#include "store/etcd/watch_stream.h"

namespace skiff::store {
namespace {

// Between requests for progress while a member has not come far enough.
constexpr Duration kProgressPause = std::chrono::milliseconds(50);

}  // namespace

EtcdWatchSession::EtcdWatchSession(std::shared_ptr<EtcdCore> core, WatchRequest request,
                                   WatchSink* sink)
    : core_(std::move(core)), request_(std::move(request)), sink_(sink) {}

void EtcdWatchSession::Start(Revision from) {
  {
    std::unique_lock lock(delivery_);
    from_ = next_ = from.value;
  }
  Connect();
}

void EtcdWatchSession::StartAtNext(std::move_only_function<void()> known) {
  StartEtcdRevision(core_, [self = shared_from_this(),
                            known = std::move(known)](Result<Revision> revision) mutable {
    if (revision) self->Start(Revision{revision->value + 1});
    if (known) known();
    if (revision) return;
    if (self->core_->closing()) return self->End(EtcdCore::ClosingStatus());
    {
      std::unique_lock lock(self->state_);
      if (self->stopped_) return;
    }
    // Whoever wants to commit meanwhile fares no better, so nobody is kept waiting for this.
    self->core_->timers().After(self->core_->options().max_backoff,
                                [self] { self->StartAtNext(nullptr); });
  });
}

void EtcdWatchSession::Connect() {
  core_->members().Wait(Clock::kForever, [self = shared_from_this()](
                                             std::shared_ptr<EtcdConnection> connection) {
    if (connection) return self->Open(std::move(connection));
    if (self->core_->closing()) return self->End(EtcdCore::ClosingStatus());
    // Too many wait. Come again later.
    self->core_->timers().After(self->core_->options().max_backoff, [self] { self->Connect(); });
  });
}

void EtcdWatchSession::Open(std::shared_ptr<EtcdConnection> connection) {
  etcdserverpb::WatchCreateRequest create;
  {
    std::unique_lock lock(delivery_);
    if (over_) return;
    Fill(create);
    pending_.clear();  // the rest of a revision that came in part; all of it comes again
  }
  auto stream = std::make_shared<EtcdWatchStream>(core_, shared_from_this(), std::move(connection),
                                                  std::move(create));
  std::unique_lock lock(state_);
  if (stopped_) return;
  if (auto added = core_->Add(stream); !added) {
    lock.unlock();
    return End(std::move(added).error());
  }
  stream_ = stream.get();
  opened_ = false;
  lock.unlock();
  stream->Begin();
}

void EtcdWatchSession::Fill(etcdserverpb::WatchCreateRequest& create) {
  const EtcdKeys keys = ToEtcdKeys(request_.range);
  create.set_key(keys.key);
  create.set_range_end(keys.range_end);
  // A deletion at the very revision of a compaction is forgotten by etcd without a word (etcd issue
  // 19179), but a watch that begins before it is told that it was compacted. So a watch of what has
  // already been begins one revision early, which is dropped when it comes. One of what is to come
  // does not: etcd would serve it a tenth of a second later.
  early_ = early_ || next_ <= core_->seen_revision();
  create.set_start_revision(early_ ? std::max<int64_t>(1, next_ - 1) : next_);
  create.set_prev_kv(request_.previous_values);
  create.set_progress_notify(true);
  create.set_fragment(true);
}

void EtcdWatchSession::Stop() {
  {
    std::unique_lock lock(delivery_);
    over_ = true;
    pending_.clear();
  }
  std::unique_lock lock(state_);
  stopped_ = true;
  if (stream_ != nullptr) stream_->Cancel();
}

void EtcdWatchSession::End(Status why) {
  {
    std::unique_lock lock(delivery_);
    EndLocked(std::move(why));
  }
  std::unique_lock lock(state_);
  stopped_ = true;
  if (stream_ != nullptr) stream_->Cancel();
}

void EtcdWatchSession::EndLocked(Status why) {
  if (over_) return;
  over_ = true;
  pending_.clear();
  sink_->OnEnd(std::move(why));
}

bool EtcdWatchSession::OnMessage(EtcdWatchStream* stream, etcdserverpb::WatchResponse& message) {
  {
    std::unique_lock lock(state_);
    if (stopped_ || stream_ != stream) return false;
  }
  auto fits = core_->Observe(stream->connection(), message.header(), 0);
  if (!fits) {
    // Observe() ends all watches if nobody is left of their cluster. This one may go on elsewhere.
    return false;
  }
  Outcome outcome;
  {
    std::unique_lock lock(delivery_);
    if (over_) return false;
    outcome = HandleLocked(message);
    if (outcome.end) EndLocked(std::move(*outcome.end));
    if (over_) return false;
  }
  std::unique_lock lock(state_);
  restart_at_once_ = outcome.at_once;
  if (outcome.restart) return false;
  if (!message.created()) failures_ = 0;
  if (std::exchange(opened_, true)) return true;
  if (progress_target_ > 0) AskProgressLocked();
  return true;
}

EtcdWatchSession::Outcome EtcdWatchSession::HandleLocked(etcdserverpb::WatchResponse& message) {
  Outcome out;
  if (message.canceled()) {
    if (message.compact_revision() > 0) {
      RaiseTo(core_->compacted, message.compact_revision());
      out.end = Status(StatusReason::kExpired, "revision " + std::to_string(next_) +
                                                   " has been compacted; the oldest is " +
                                                   std::to_string(message.compact_revision()));
      return out;
    }
    const std::string& reason = message.cancel_reason();
    if (reason.find("permission denied") != reason.npos)
      out.end = Status(StatusReason::kForbidden, "etcd refused the watch: " + reason);
    out.restart = true;
    return out;
  }
  if (message.created()) {
    // More may have been than was known here; then the next stream begins early.
    out.at_once = !early_ && message.header().revision() >= next_;
    out.restart = early_ = out.at_once;
    return out;
  }
  if (message.events_size() > 0) {
    out.end = TakeEventsLocked(message);
    return out;
  }
  if (core_->members().HasReliableProgress()) ProgressLocked(message.header().revision());
  return out;
}

std::optional<Status> EtcdWatchSession::CheckOrderLocked(int64_t revision, bool& repeated) {
  repeated = false;
  if (!pending_.empty() && revision >= pending_.back().revision().value) return std::nullopt;
  if (pending_.empty() && revision >= next_) return std::nullopt;
  // Events of another revision of the same batch, out of order, were not told before either.
  repeated = std::binary_search(told_.begin(), told_.end(), revision) || revision < from_;
  if (repeated) return std::nullopt;
  return Status(StatusReason::kInternalError,
                "etcd told of revision " + std::to_string(revision) +
                    " after it had told that all before " + std::to_string(next_) +
                    " was complete; what follows this watch must be read again");
}

bool EtcdWatchSession::IsPendingLocked(const Event& event) const {
  for (auto it = pending_.rbegin(); it != pending_.rend(); ++it) {
    if (it->revision() != event.revision()) return false;
    if (it->entry.key == event.entry.key) return true;
  }
  return false;
}

std::optional<Status> EtcdWatchSession::TakeEventsLocked(etcdserverpb::WatchResponse& message) {
  const int64_t header = message.header().revision();
  for (mvccpb::Event& event : *message.mutable_events()) {
    bool repeated = false;
    if (event.kv().mod_revision() > header && header > 0)
      return Status(StatusReason::kInternalError,
                    "etcd told of revision " + std::to_string(event.kv().mod_revision()) +
                        " while it was only at " + std::to_string(header));
    if (auto error = CheckOrderLocked(event.kv().mod_revision(), repeated)) return error;
    if (repeated) continue;
    Event taken = TakeEvent(event);
    // An empty range is watched as its first key; a key is written once in a revision.
    if (request_.range.Contains(taken.entry.key) && !IsPendingLocked(taken))
      pending_.push_back(std::move(taken));
  }
  DeliverLocked(!message.fragment());
  return std::nullopt;
}

// Passes on what is complete: everything, or all but the last revision of which more may follow.
void EtcdWatchSession::DeliverLocked(bool all) {
  auto end = pending_.end();
  if (!all && !pending_.empty()) {
    const Revision last = pending_.back().revision();
    while (end != pending_.begin() && std::prev(end)->revision() == last) --end;
  }
  if (end == pending_.begin()) return;
  for (auto event = pending_.begin(); event != end; ++event) {
    const int64_t revision = event->revision().value;
    if (told_.empty() || told_.back() != revision) told_.push_back(revision);
  }
  while (told_.size() > limits::kEtcdRememberedRevisions) told_.pop_front();
  complete_ = std::prev(end)->revision().value;
  next_ = complete_ + 1;
  sink_->OnEvents(std::span<const Event>(pending_.begin(), end));
  pending_.erase(pending_.begin(), end);
}

void EtcdWatchSession::ProgressLocked(int64_t revision) {
  // Nothing is complete while the fragments of a revision are still coming.
  if (!pending_.empty()) return;
  std::unique_lock lock(state_);
  const bool is_wanted = progress_target_ > 0;
  // After a reconnection the member may lag behind what was already told.
  const bool is_news = revision >= complete_;
  complete_ = std::max(complete_, revision);
  next_ = std::max(next_, complete_ + 1);
  const bool is_reached = is_wanted && complete_ >= progress_target_;
  if (is_reached) progress_target_ = 0;
  lock.unlock();
  if (is_news || is_reached) sink_->OnProgress(Revision{complete_});
  if (!is_wanted || is_reached) return;
  core_->timers().After(kProgressPause, [self = shared_from_this()] {
    std::unique_lock relock(self->state_);
    if (self->progress_target_ > 0) self->AskProgressLocked();
  });
}

void EtcdWatchSession::RequestProgress() {
  if (!core_->members().HasReliableProgress()) return;
  {
    std::unique_lock lock(state_);
    if (stopped_) return;
    if (std::exchange(asking_target_, true)) {
      ask_target_again_ = true;  // the answer under way may be older than this call
      return;
    }
  }
  StartEtcdRevision(core_, [self = shared_from_this()](Result<Revision> revision) {
    self->OnProgressTarget(std::move(revision));
  });
}

void EtcdWatchSession::OnProgressTarget(Result<Revision> revision) {
  std::unique_lock lock(state_);
  asking_target_ = false;
  if (stopped_ || core_->closing()) return;
  if (revision) {
    progress_target_ = std::max(progress_target_, revision->value);
    AskProgressLocked();
  }
  // Without an answer etcd cannot be reached; the caller's wish stays.
  const bool again = std::exchange(ask_target_again_, false) || !revision;
  lock.unlock();
  if (!again) return;
  if (revision) return RequestProgress();
  core_->timers().After(core_->options().max_backoff,
                        [self = shared_from_this()] { self->RequestProgress(); });
}

void EtcdWatchSession::AskProgressLocked() {
  if (stream_ != nullptr && opened_) stream_->AskProgress();
}

void EtcdWatchSession::OnStreamEnd(EtcdWatchStream* stream, const EtcdFailure& failure) {
  int failures = 0;
  {
    std::unique_lock lock(state_);
    if (stream_ == stream) stream_ = nullptr;
    if (stopped_) return;
    if (std::exchange(restart_at_once_, false)) {
      lock.unlock();
      return Connect();
    }
    failures = ++failures_;
  }
  if (core_->closing()) return End(EtcdCore::ClosingStatus());
  core_->members().Report(stream->connection(), failure);
  if (failure.kind == EtcdFailure::Kind::kFinal) return End(failure.status);
  CheckEtcdHistory(core_);
  core_->timers().After(core_->members().Backoff(failures),
                        [self = shared_from_this()] { self->Connect(); });
}

}  // namespace skiff::store
