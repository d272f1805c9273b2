// Whatever changes an embedded store goes through here.
//
// Whoever commits puts the transaction into a queue. The committer's thread takes what is queued
// into a batch, which is written with one sync: group commit. A batch passes through two stages, so
// that neither the disk nor the processor waits for the other:
//
//   prepare   the committer's thread evaluates the conditions, gives revisions and encodes the rows
//             (batch_builder.h), also while the batch before is being written;
//   write     a second thread writes the batch and syncs it (batch_writer.h).
//
// Then the committer's thread tells the watches and answers, batch after batch in order. Nothing of
// a batch is seen or answered before it is on disk, not even a condition that does not hold: the
// verdict may rest on the batch before. While a batch waits for the disk, transactions join it. If
// nobody came while the last batch was being written, the committer's thread writes the next one
// itself, which saves waking another.
//
// Tasks, which are leases and steps of compaction, look into the engine: they run one at a time,
// between batches, when nothing is on its way.
//
// When a write fails, the engine is not used for writing again. The committer answers the writers
// of that batch with kServerTimeout, since what the disk holds is not known, and everyone after
// them with kServiceUnavailable, those of a batch that is prepared too. It then opens a new engine
// on the same directory, from time to time if need be, finds what was written after all, tells the
// watches of that, and goes on. An engine that turns writes away without having failed, since the
// disk is full, is asked again from time to time. Before it comes to that, the builder refuses
// transactions that would add much to what the store holds (disk_space.h).
//
// Owned by the store, which stops it first of all.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "store/embedded/batch_builder.h"
#include "store/embedded/batch_writer.h"
#include "store/embedded/engine_gate.h"
#include "store/embedded/lease_table.h"
#include "store/embedded/reader.h"
#include "store/embedded/store_state.h"
#include "store/embedded/watch_hub.h"
#include "store/store.h"

namespace skiff::store {

// Something besides transactions that is written by the committer, in a batch of its own. Owned by
// the committer from Submit() on; called on its thread, except Finish() when it is turned away.
class CommitTask {
 public:
  virtual ~CommitTask() = default;
  // Adds rows to the batch. An error ends the task without a write.
  virtual Result<void> Prepare(Engine& engine, BatchBuilder& batch) = 0;
  // Once, if the write succeeded, before the watches are told.
  virtual void Written() = 0;
  // Once: after the write, when the watches have been told, or after an error.
  virtual void Finish(Result<Revision> written) = 0;
};

// What the committer needs to replace its engine.
struct EngineRecovery {
  std::function<Result<std::unique_ptr<Engine>>()> open;
  std::function<Result<void>()> probe;  // may be empty
  Random* random = nullptr;
  int64_t cluster = 0;  // the store that it must be
};

struct CommitterParts {
  EngineGate* gate;
  StoreState* state;
  StoreReader* reader;
  WatchHub* hub;
  LeaseTable* leases;
  Clock* clock;
};

class Committer {
 public:
  Committer(CommitterParts parts, EngineRecovery recovery);
  ~Committer() { Stop(); }

  void Commit(Transaction transaction, StoreCallback<CommitReply> done);
  void Submit(std::unique_ptr<CommitTask> task);
  // Called, on the committer's thread, after writes that left little room on the disk.
  void OnLowDiskSpace(std::function<void()> tell);
  // The engine has told of an error outside of a write: it must be replaced.
  void ReportEngineError(const Status& error);

  // Answers what is queued with kServiceUnavailable and ends the thread.
  void Stop();

 private:
  struct Queued {
    Transaction transaction;
    StoreCallback<CommitReply> done;
    size_t bytes = 0;
  };
  // Transactions that are written together.
  struct Batch {
    std::vector<Queued> queued;
    std::vector<Result<TransactionOutcome>> outcomes;  // of as many as have been evaluated
    size_t bytes = 0;
    PreparedBatch prepared;
  };
  using Lock = std::unique_lock<std::mutex>;

  std::optional<Status> RejectionReason(size_t bytes);
  void Work();
  // Each of these gives the lock back while it works. False if there is nothing to do until
  // something happens.
  bool RunOneStep(Lock& lock);
  bool Recover(Lock& lock);
  bool RunTask(Lock& lock);
  bool Prepare(Lock& lock);
  void WriteHere(Batch* batch, Lock& lock);
  bool WarmUp(Lock& lock);

  // A batch to which something can be added; null if the disk has to be waited for.
  Batch* OpenBatch();
  // Moves what is queued and fits to the batch; false if nothing does.
  bool TakeQueued(Batch* batch);
  void EvaluateConditions(Batch* batch);
  void Finish(Batch& batch, const Result<void>& written);
  void RunTask(CommitTask& task);
  // After a write: the row cache, the figures and the watches.
  void PublishWritten(const PreparedBatch& batch);
  void Forget();
  void AnswerFailed(Batch& batch, const Status& error);
  void Answer(Queued& queued, Result<TransactionOutcome>& outcome);
  Result<std::vector<std::optional<KeyValue>>> ReadCurrent(const Transaction& transaction,
                                                           const TransactionOutcome& outcome);

  // Lets the builder know how much room there is.
  void CheckDiskSpace();
  void NotifyLowDiskSpace();
  void DiskIsBusy();

  void EngineFailed(const Status& error);
  void RejectQueued(const Status& why);
  void TryToRecover();
  Result<void> ReplaceEngine();
  Result<void> WriteNothingNew();
  Result<void> NotifyUnknownOutcomes(int64_t revision);

  const CommitterParts parts_;
  const EngineRecovery recovery_;
  std::unique_ptr<BatchBuilder> builder_;
  // Prepared or on their way to the disk, the oldest first.
  std::deque<std::unique_ptr<Batch>> under_way_;
  std::unique_ptr<Batch> spare_;  // keeps the memory of one that is done

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Queued> queue_;
  size_t queued_bytes_ = 0;
  std::deque<std::unique_ptr<CommitTask>> tasks_;
  std::optional<Status> turn_away_;     // why nothing is taken now
  std::optional<Status> engine_error_;  // reported and not yet dealt with
  std::function<void()> on_little_room_;
  bool stopping_ = false;

  // Of the thread.
  Duration retry_at_{0};
  Duration backoff_{0};
  bool must_replace_ = false;  // the engine has failed
  bool replaced_ = false;      // it has been replaced since the error
  bool task_is_next_ = false;  // transactions have had their turn
  bool has_company_ = false;   // transactions came while the last batch was being written

  std::optional<BatchWriter> writer_;
  std::optional<Thread> thread_;
};

}  // namespace skiff::store
