#include "store/embedded/committer.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "store/check.h"
#include "store/embedded/meta.h"

namespace skiff {
namespace {

constexpr Duration kFirstBackoff = std::chrono::milliseconds(100);
constexpr Duration kLongestBackoff = std::chrono::seconds(10);

Status Unavailable(std::string why) {
  return Status(StatusReason::kServiceUnavailable, std::move(why));
}

Event MakeEvent(const WrittenRecord& written) {
  Event event;
  const bool is_put = written.kind == Write::Kind::kPut;
  event.kind = is_put ? Event::Kind::kPut : Event::Kind::kDelete;
  event.entry.key = written.key;
  if (is_put) event.entry.value = *written.value;
  event.entry.create_revision.value = written.create_revision;
  event.entry.mod_revision.value = written.position.revision;
  event.entry.version = written.version;
  event.entry.lease = written.lease;
  return event;
}

}  // namespace

// The events of the batch that was just written.
class Committer::BatchEvents final : public EventSource {
 public:
  BatchEvents(const std::vector<WrittenRecord>& written, StoreReader* reader, Engine* engine)
      : written_(written), reader_(reader), engine_(engine) {}

  std::span<const Event> Plain() override {
    if (plain_.empty()) {
      plain_.reserve(written_.size());
      for (const WrittenRecord& written : written_) plain_.push_back(MakeEvent(written));
    }
    return plain_;
  }

  Result<std::span<const Event>> WithPrevious() override {
    if (with_previous_.empty()) {
      std::vector<Event> events(Plain().begin(), Plain().end());
      for (size_t i = 0; i < events.size(); ++i) {
        if (!written_[i].previous) continue;
        SKIFF_ASSIGN_OR_RETURN(events[i].previous, Before(i));
      }
      with_previous_ = std::move(events);
    }
    return std::span<const Event>(with_previous_);
  }

 private:
  // The state that a write replaced: often of the same batch, else read from the log.
  Result<KeyValue> Before(size_t index) {
    const LogPosition position = written_[index].previous;
    const auto at = std::ranges::lower_bound(written_, position, {}, &WrittenRecord::position);
    if (at != written_.end() && at->position == position) {
      return plain_[static_cast<size_t>(at - written_.begin())].entry;
    }
    return reader_->Entry(*engine_, written_[index].key, position);
  }

  const std::vector<WrittenRecord>& written_;
  StoreReader* reader_;
  Engine* engine_;
  std::vector<Event> plain_;
  std::vector<Event> with_previous_;
};

Committer::Committer(CommitterParts parts, EngineRecovery recovery)
    : parts_(parts),
      recovery_(std::move(recovery)),
      builder_(
          std::make_unique<BatchBuilder>(parts.gate->engine(), parts.leases, *recovery_.random)) {
  thread_.emplace("store-commit", [this] { Work(); });
}

void Committer::Commit(Transaction transaction, StoreCallback<CommitReply> done) {
  if (Result<void> good = CheckTransaction(transaction); !good) {
    return done(std::unexpected(good.error()));
  }
  const size_t bytes = TransactionBytes(transaction);
  std::optional<Status> refusal;
  {
    std::lock_guard lock(mutex_);
    refusal = ReasonToTurnAway(bytes);
    if (!refusal) {
      queue_.push_back({std::move(transaction), std::move(done), bytes});
      queued_bytes_ += bytes;
      if (queue_.size() == 1) wake_.notify_one();
    }
  }
  if (refusal) done(std::unexpected(*std::move(refusal)));
}

std::optional<Status> Committer::ReasonToTurnAway(size_t bytes) {
  if (stopping_) return Unavailable("the store is closing");
  if (turn_away_) return turn_away_;
  if (queue_.size() < limits::kMaxStoreQueuedTransactions &&
      queued_bytes_ + bytes <= limits::kMaxStoreQueuedBytes) {
    return std::nullopt;
  }
  return Status(StatusReason::kTooManyRequests,
                "the store has " + std::to_string(queue_.size()) + " transactions with " +
                    std::to_string(queued_bytes_) +
                    " bytes waiting for the disk and takes no more; try again later");
}

void Committer::Submit(std::unique_ptr<CommitTask> task) {
  std::optional<Status> refusal;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) refusal = Unavailable("the store is closing");
    if (!refusal) refusal = turn_away_;
    if (!refusal && tasks_.size() >= limits::kMaxStoreQueuedTasks) {
      refusal = Status(StatusReason::kTooManyRequests,
                       "the store has too many requests about leases waiting for the disk and "
                       "takes no more; try again later");
    }
    if (!refusal) {
      tasks_.push_back(std::move(task));
      wake_.notify_one();
    }
  }
  if (refusal) task->Finish(std::unexpected(*std::move(refusal)));
}

void Committer::ReportEngineError(const Status& error) {
  std::lock_guard lock(mutex_);
  engine_error_ = error;
  wake_.notify_one();
}

void Committer::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (turn_away_) {
      if (parts_.clock->Monotonic() < retry_at_) {
        parts_.clock->WaitUntil(wake_, lock, retry_at_);
        continue;
      }
      lock.unlock();
      TryToRecover();
      lock.lock();
      continue;
    }
    if (engine_error_) {
      const Status error = *std::exchange(engine_error_, std::nullopt);
      lock.unlock();
      EngineFailed(error);
      lock.lock();
      continue;
    }
    if (queue_.empty() && tasks_.empty()) {
      wake_.wait(lock);
      continue;
    }
    std::vector<Queued> batch = TakeBatch();
    std::unique_ptr<CommitTask> task;
    if (!tasks_.empty()) {
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    lock.unlock();
    if (!batch.empty()) RunBatch(std::move(batch));
    if (task != nullptr) RunTask(*task);
    lock.lock();
  }
}

std::vector<Committer::Queued> Committer::TakeBatch() {
  std::vector<Queued> batch;
  batch.reserve(std::min(queue_.size(), limits::kMaxStoreBatchTransactions));
  size_t bytes = 0;
  while (!queue_.empty() && batch.size() < limits::kMaxStoreBatchTransactions) {
    bytes += queue_.front().bytes;
    if (!batch.empty() && bytes > limits::kMaxStoreBatchBytes) break;
    queued_bytes_ -= queue_.front().bytes;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return batch;
}

void Committer::RunBatch(std::vector<Queued> batch) {
  const int64_t before = parts_.state->revision.load();
  builder_->Begin(before, parts_.state->keys.load());
  std::vector<Result<TransactionOutcome>> outcomes;
  outcomes.reserve(batch.size());
  for (const Queued& queued : batch) {
    outcomes.push_back(builder_->Add(queued.transaction));
    if (outcomes.back()) continue;
    if (outcomes.back().error().reason() == StatusReason::kInternalError) {
      outcomes.back() = std::unexpected(parts_.reader->Damaged(
          outcomes.back().error(),
          queued.transaction.writes.empty() ? "" : queued.transaction.writes[0].key, before));
    }
  }
  const Result<void> written = WriteAndTell(nullptr);
  for (size_t i = 0; i < batch.size(); ++i) {
    if (written || !outcomes[i]) {
      Answer(batch[i], outcomes[i]);
      continue;
    }
    // One that changes nothing may have been judged by one whose fate is not known.
    const int64_t last = i == 0 || !outcomes[i - 1] ? before : outcomes[i - 1]->revision;
    const bool unknown = outcomes[i]->succeeded && outcomes[i]->revision != last &&
                         written.error().reason() == StatusReason::kServerTimeout;
    batch[i].done(std::unexpected(
        unknown ? Status(StatusReason::kServerTimeout,
                         "whether the transaction happened is not known, since the disk failed: " +
                             written.error().message())
                : Unavailable(written.error().message())));
  }
}

Result<void> Committer::WriteAndTell(CommitTask* task) {
  EngineBatch* const rows = builder_->Finish();
  if (rows == nullptr) return {};
  Engine* const engine = parts_.gate->engine();
  if (Result<void> written = engine->Write(*rows); !written) {
    EngineFailed(written.error());
    return written;
  }
  builder_->Written();
  if (task != nullptr) task->Written();
  parts_.state->keys.store(builder_->keys());
  parts_.state->commits.fetch_add(builder_->changes());
  if (builder_->changes() > 0) {
    BatchEvents events(builder_->written(), parts_.reader, engine);
    parts_.hub->Publish(builder_->revision(), events);
  }
  return {};
}

void Committer::Answer(Queued& queued, Result<TransactionOutcome>& outcome) {
  if (!outcome) return queued.done(std::unexpected(std::move(outcome).error()));
  CommitReply reply;
  reply.succeeded = outcome->succeeded;
  reply.revision.value = outcome->revision;
  if (!outcome->succeeded) {
    auto current = ReadCurrent(queued.transaction, *outcome);
    if (!current) return queued.done(std::unexpected(std::move(current).error()));
    reply.current = *std::move(current);
  }
  queued.done(std::move(reply));
}

Result<std::vector<std::optional<KeyValue>>> Committer::ReadCurrent(
    const Transaction& transaction, const TransactionOutcome& outcome) {
  std::vector<std::optional<KeyValue>> current;
  for (size_t i = 0; i < outcome.current.size(); ++i) {
    auto& entry = current.emplace_back();
    if (!outcome.current[i]) continue;
    SKIFF_ASSIGN_OR_RETURN(
        entry, parts_.reader->Entry(*parts_.gate->engine(), transaction.conditions[i].key,
                                    *outcome.current[i]));
  }
  return current;
}

void Committer::RunTask(CommitTask& task) {
  if (parts_.state->Health().writable == false) {
    return task.Finish(std::unexpected(Unavailable(parts_.state->Health().reason)));
  }
  builder_->Begin(parts_.state->revision.load(), parts_.state->keys.load());
  Result<void> done = task.Prepare(*parts_.gate->engine(), *builder_);
  if (done) done = WriteAndTell(&task);
  if (!done) return task.Finish(std::unexpected(std::move(done).error()));
  task.Finish(Revision{builder_->revision()});
}

void Committer::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.reset();
  TurnAwayQueued(Unavailable("the store is closing"));
}

void Committer::TurnAwayQueued(const Status& why) {
  std::deque<Queued> queue;
  std::deque<std::unique_ptr<CommitTask>> tasks;
  {
    std::lock_guard lock(mutex_);
    queue.swap(queue_);
    tasks.swap(tasks_);
    queued_bytes_ = 0;
  }
  for (Queued& queued : queue) queued.done(std::unexpected(why));
  for (const auto& task : tasks) task->Finish(std::unexpected(why));
}

void Committer::EngineFailed(const Status& error) {
  const std::string reason =
      "the store is read-only, since the disk cannot be written: " + error.message() +
      "; it goes on by itself once that is possible";
  parts_.state->SetReadOnly(reason, true);
  {
    std::lock_guard lock(mutex_);
    turn_away_ = Unavailable(reason);
  }
  must_replace_ = error.reason() == StatusReason::kServerTimeout;
  replaced_ = false;
  backoff_ = kFirstBackoff;
  retry_at_ = parts_.clock->Monotonic() + backoff_;
  TurnAwayQueued(Unavailable(reason));
}

void Committer::TryToRecover() {
  Result<void> done;
  if (must_replace_) {
    if (recovery_.probe) done = recovery_.probe();
    if (done) done = ReplaceEngine();
    if (done) must_replace_ = !(replaced_ = true);
  }
  if (done) {
    done = WriteNothingNew();
    // Turning writes away may be due to an error in the background, which a new engine does not
    // have. If that one does so too, the disk is full, and opening more of them does not help.
    if (!done) must_replace_ = !replaced_ || done.error().reason() == StatusReason::kServerTimeout;
  }
  std::lock_guard lock(mutex_);
  if (done) {
    parts_.state->SetWritable();
    turn_away_.reset();
    engine_error_.reset();
    return;
  }
  const std::string reason =
      "the store is read-only after an error of the disk, and it cannot go on yet: " +
      done.error().message();
  parts_.state->SetReadOnly(reason, parts_.gate->engine() != nullptr);
  turn_away_ = Unavailable(reason);
  backoff_ = std::min(backoff_ * 2, kLongestBackoff);
  retry_at_ = parts_.clock->Monotonic() + backoff_;
}

// Shows whether the engine writes, before anyone relies on it.
Result<void> Committer::WriteNothingNew() {
  Engine* const engine = parts_.gate->engine();
  const auto batch = engine->NewBatch();
  PutMeta(*batch, kMetaRevision, parts_.state->revision.load());
  return engine->Write(*batch);
}

Result<void> Committer::ReplaceEngine() {
  builder_.reset();
  parts_.gate->Close();
  auto open = [&]() -> Result<std::pair<std::unique_ptr<Engine>, StoreMeta>> {
    SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, recovery_.open());
    SKIFF_ASSIGN_OR_RETURN(const StoreMeta meta, LoadOrCreateMeta(*engine, *recovery_.random));
    if (meta.cluster != recovery_.cluster || meta.revision < parts_.state->revision.load()) {
      return Fail(StatusReason::kInternalError,
                  "the directory now holds another or an older store (revision " +
                      std::to_string(meta.revision) + ", and " +
                      std::to_string(parts_.state->revision.load()) +
                      " was acknowledged); restore it from a backup");
    }
    SKIFF_RETURN_IF_ERROR(parts_.leases->Load(*engine));
    return std::pair(std::move(engine), meta);
  };
  auto opened = open();
  if (!opened) {
    parts_.gate->StayClosed(opened.error().message());
    return std::unexpected(std::move(opened).error());
  }
  const StoreMeta meta = opened->second;
  parts_.gate->Open(std::move(opened->first));
  builder_ =
      std::make_unique<BatchBuilder>(parts_.gate->engine(), parts_.leases, *recovery_.random);
  SKIFF_RETURN_IF_ERROR(TellOfUnknown(meta.revision));
  parts_.state->keys.store(meta.keys);
  parts_.state->swept.store(meta.compacted);
  parts_.state->compacted.store(std::max(parts_.state->compacted.load(), meta.compacted));
  return {};
}

namespace {

class ReadEvents final : public EventSource {
 public:
  explicit ReadEvents(std::vector<Event> events)
      : with_previous_(std::move(events)), plain_(with_previous_) {
    for (Event& event : plain_) event.previous.reset();
  }
  std::span<const Event> Plain() override { return plain_; }
  Result<std::span<const Event>> WithPrevious() override {
    return std::span<const Event>(with_previous_);
  }

 private:
  std::vector<Event> with_previous_;
  std::vector<Event> plain_;
};

}  // namespace

// Watches have been told of everything before the failed batch. If the disk holds that batch after
// all, they are told of it now.
Result<void> Committer::TellOfUnknown(int64_t revision) {
  int64_t next = parts_.state->revision.load() + 1;
  while (next <= revision) {
    SKIFF_ASSIGN_OR_RETURN(EventPiece piece,
                           parts_.reader->Events(next, revision, KeyRange::All(), true));
    ReadEvents events(std::move(piece.events));
    next = piece.next;
    parts_.hub->Publish(next - 1, events);
  }
  return {};
}

}  // namespace skiff
