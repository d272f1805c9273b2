#include "store/embedded/committer.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "store/check.h"
#include "store/embedded/batch_events.h"
#include "store/embedded/meta.h"

namespace skiff::store {
namespace {

constexpr Duration kFirstBackoff = std::chrono::milliseconds(100);
constexpr Duration kLongestBackoff = std::chrono::seconds(10);
// One that is being written, and one that is prepared meanwhile.
constexpr size_t kBatchesUnderWay = 2;

Status Unavailable(std::string why) {
  Status status(StatusReason::kServiceUnavailable, std::move(why));
  return status.SetRetryAfterSeconds(limits::kStoreSpaceRetrySeconds);
}

}  // namespace

Committer::Committer(CommitterParts parts, EngineRecovery recovery)
    : parts_(parts),
      recovery_(std::move(recovery)),
      builder_(
          std::make_unique<BatchBuilder>(parts.gate->engine(), parts.leases, *recovery_.random)) {
  writer_.emplace(&mutex_, &wake_);
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
    refusal = RejectionReason(bytes);
    if (!refusal) {
      queue_.push_back({std::move(transaction), std::move(done), bytes});
      queued_bytes_ += bytes;
      if (queue_.size() == 1) wake_.notify_one();
    }
  }
  if (refusal) done(std::unexpected(*std::move(refusal)));
}

std::optional<Status> Committer::RejectionReason(size_t bytes) {
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
  Lock lock(mutex_);
  while (!stopping_ || !under_way_.empty()) {
    if (!RunOneStep(lock) && !WarmUp(lock)) wake_.wait(lock);
  }
}

bool Committer::RunOneStep(Lock& lock) {
  if (const auto written = writer_->TakeResult()) {
    has_company_ = !queue_.empty() || under_way_.size() > 1;
    lock.unlock();
    Finish(*under_way_.front(), *written);
    lock.lock();
    return true;
  }
  if (stopping_) return false;
  if (turn_away_) return Recover(lock);
  const bool is_idle = under_way_.empty();
  if (engine_error_) {
    if (!is_idle) return false;
    const Status error = *std::exchange(engine_error_, std::nullopt);
    lock.unlock();
    EngineFailed(error);
    lock.lock();
    return true;
  }
  if (!tasks_.empty() && (task_is_next_ || queue_.empty())) return is_idle && RunTask(lock);
  return !queue_.empty() && Prepare(lock);
}

bool Committer::WarmUp(Lock& lock) {
  if (stopping_ || turn_away_ || builder_->is_warm()) return false;
  lock.unlock();
  builder_->WarmUp();
  lock.lock();
  return true;
}

bool Committer::Recover(Lock& lock) {
  if (parts_.clock->Monotonic() < retry_at_) {
    parts_.clock->WaitUntil(wake_, lock, retry_at_);
    return true;
  }
  lock.unlock();
  TryToRecover();
  lock.lock();
  return true;
}

bool Committer::RunTask(Lock& lock) {
  task_is_next_ = false;
  const std::unique_ptr<CommitTask> task = std::move(tasks_.front());
  tasks_.pop_front();
  lock.unlock();
  RunTask(*task);
  lock.lock();
  return true;
}

bool Committer::Prepare(Lock& lock) {
  Batch* const batch = OpenBatch();
  if (batch == nullptr) return false;
  const bool has_more = TakeQueued(batch);
  if (has_more) {
    task_is_next_ = true;
    lock.unlock();
    EvaluateConditions(batch);
    lock.lock();
  }
  DiskIsBusy();
  if (under_way_.size() == 1 && queue_.empty() && !has_company_) {
    WriteHere(batch, lock);
  } else {
    writer_->Offer(&batch->prepared, parts_.gate->engine());
  }
  return has_more;
}

void Committer::WriteHere(Batch* batch, Lock& lock) {
  lock.unlock();
  const Result<void> written = WriteBatch(batch->prepared, *parts_.gate->engine());
  lock.lock();
  has_company_ = !queue_.empty();
  lock.unlock();
  Finish(*batch, written);
  lock.lock();
}

Committer::Batch* Committer::OpenBatch() {
  if (writer_->TakeBack()) return under_way_.back().get();
  if (under_way_.size() >= kBatchesUnderWay) return nullptr;
  under_way_.push_back(spare_ != nullptr ? std::move(spare_) : std::make_unique<Batch>());
  return under_way_.back().get();
}

bool Committer::TakeQueued(Batch* batch) {
  const size_t before = batch->queued.size();
  const size_t most =
      std::min(before + limits::kStorePreparedAtOnce, limits::kMaxStoreBatchTransactions);
  while (!queue_.empty() && batch->queued.size() < most) {
    Queued& next = queue_.front();
    if (!batch->queued.empty() && batch->bytes + next.bytes > limits::kMaxStoreBatchBytes) break;
    batch->bytes += next.bytes;
    queued_bytes_ -= next.bytes;
    batch->queued.push_back(std::move(next));
    queue_.pop_front();
  }
  return batch->queued.size() > before;
}

void Committer::EvaluateConditions(Batch* batch) {
  const Batch* const earlier = under_way_.front().get();
  const PreparedBatch* const before = earlier == batch ? nullptr : &earlier->prepared;
  if (batch->outcomes.empty()) {
    builder_->Begin(&batch->prepared,
                    before != nullptr ? before->revision() : parts_.state->revision.load(),
                    before != nullptr ? before->keys() : parts_.state->keys.load());
  }
  builder_->Continue(&batch->prepared, before);
  CheckDiskSpace();
  while (batch->outcomes.size() < batch->queued.size()) {
    const Transaction& transaction = batch->queued[batch->outcomes.size()].transaction;
    auto& outcome = batch->outcomes.emplace_back(builder_->Add(transaction));
    if (!outcome && outcome.error().reason() == StatusReason::kInternalError) {
      outcome = std::unexpected(parts_.reader->Damaged(
          outcome.error(), transaction.writes.empty() ? "" : transaction.writes[0].key,
          batch->prepared.revision()));
    }
  }
}

// Of the batch that is under way for longest.
void Committer::Finish(Batch& batch, const Result<void>& written) {
  parts_.state->writing_since = 0;
  if (under_way_.size() > 1 && written) DiskIsBusy();
  if (written) {
    PublishWritten(batch.prepared);
    for (size_t i = 0; i < batch.queued.size(); ++i) Answer(batch.queued[i], batch.outcomes[i]);
    return Forget();
  }
  EngineFailed(written.error());
  AnswerFailed(batch, written.error());
  Forget();
  // What was prepared meanwhile is built on it.
  if (under_way_.empty()) return;
  AnswerFailed(*under_way_.front(), Unavailable(written.error().message()));
  Forget();
}

// Lets go of the batch that is under way for longest.
void Committer::Forget() {
  spare_ = std::move(under_way_.front());
  under_way_.pop_front();
  spare_->queued.clear();
  spare_->outcomes.clear();
  spare_->bytes = 0;
}

void Committer::DiskIsBusy() {
  if (parts_.state->writing_since != 0) return;
  parts_.state->writing_since = parts_.clock->Monotonic().count();
}

void Committer::CheckDiskSpace() {
  Engine* const engine = parts_.gate->engine();
  DiskSpace room = engine->room();
  if (!TakesAll(room)) room = engine->MeasureDiskSpace();
  builder_->SetDiskSpace(room);
}

void Committer::OnLowDiskSpace(std::function<void()> tell) {
  std::lock_guard lock(mutex_);
  on_little_room_ = std::move(tell);
}

void Committer::NotifyLowDiskSpace() {
  if (parts_.gate->engine()->room() == DiskSpace::kPlenty) return;
  std::function<void()> tell;
  {
    std::lock_guard lock(mutex_);
    tell = on_little_room_;
  }
  if (tell) tell();
}

void Committer::AnswerFailed(Batch& batch, const Status& error) {
  for (size_t i = 0; i < batch.queued.size(); ++i) {
    if (!batch.outcomes[i]) {
      Answer(batch.queued[i], batch.outcomes[i]);
      continue;
    }
    // One that changes nothing may have been judged by one whose fate is not known.
    const bool unknown =
        batch.outcomes[i]->changed && error.reason() == StatusReason::kServerTimeout;
    batch.queued[i].done(std::unexpected(
        unknown ? Status(StatusReason::kServerTimeout,
                         "whether the transaction happened is not known, since the disk failed: " +
                             error.message())
                : Unavailable(error.message())));
  }
}

void Committer::PublishWritten(const PreparedBatch& batch) {
  builder_->Written(batch);
  parts_.state->keys.store(batch.keys());
  parts_.state->commits.fetch_add(batch.changes());
  NotifyLowDiskSpace();
  if (batch.changes() == 0) return;
  if (parts_.state->any_damage()) {
    for (const WrittenRecord& written : batch.written()) parts_.state->ForgetDamage(written.key);
  }
  BatchEvents events(batch.written(), parts_.reader, parts_.gate->engine());
  parts_.hub->Publish(batch.revision(), events);
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
  Engine* const engine = parts_.gate->engine();
  PreparedBatch batch;
  builder_->Begin(&batch, parts_.state->revision.load(), parts_.state->keys.load());
  builder_->Continue(&batch, nullptr);
  CheckDiskSpace();
  if (Result<void> prepared = task.Prepare(*engine, *builder_); !prepared) {
    return task.Finish(std::unexpected(std::move(prepared).error()));
  }
  DiskIsBusy();
  Result<void> written = WriteBatch(batch, *engine);
  parts_.state->writing_since = 0;
  if (!written) {
    EngineFailed(written.error());
    return task.Finish(std::unexpected(std::move(written).error()));
  }
  task.Written();
  PublishWritten(batch);
  task.Finish(Revision{batch.revision()});
}

void Committer::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.reset();
  writer_.reset();
  RejectQueued(Unavailable("the store is closing"));
}

void Committer::RejectQueued(const Status& why) {
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
  RejectQueued(Unavailable(reason));
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
  spare_.reset();
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
    SKIFF_RETURN_IF_ERROR(parts_.leases->Load(
        *engine, [&](const Status& why) { parts_.state->RecordDamage("leases", why.message()); }));
    return std::pair(std::move(engine), meta);
  };
  auto opened = open();
  if (!opened) {
    parts_.gate->CloseForGood(opened.error().message());
    return std::unexpected(std::move(opened).error());
  }
  const StoreMeta meta = opened->second;
  parts_.gate->Open(std::move(opened->first));
  builder_ =
      std::make_unique<BatchBuilder>(parts_.gate->engine(), parts_.leases, *recovery_.random);
  SKIFF_RETURN_IF_ERROR(NotifyUnknownOutcomes(meta.revision));
  parts_.state->keys.store(meta.keys);
  parts_.state->swept.store(meta.compacted);
  parts_.state->compacted.store(std::max(parts_.state->compacted.load(), meta.compacted));
  return {};
}

// Watches have been told of everything before the failed batch. If the disk holds that batch after
// all, they are told of it now.
Result<void> Committer::NotifyUnknownOutcomes(int64_t revision) {
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

}  // namespace skiff::store
