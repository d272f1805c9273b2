#include "store/embedded/evaluation_queue.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "store/check.h"

namespace skiff::store {

// Evaluates what waits when its turn has come.
class EvaluationQueue::Task final : public CommitTask {
 public:
  Task(EvaluationQueue* queue, Committer* committer) : queue_(queue), committer_(committer) {}

  Result<void> Prepare(Engine& engine, BatchBuilder& batch) override {
    static_cast<void>(engine);
    StoreReader* const reader = queue_->reader_;
    EditedState state({.revision = queue_->state_->revision.load(),
                       .range = [reader](const RangeRequest& r) { return reader->Range(r); },
                       .lease_exists = [this](LeaseId id) { return queue_->leases_->Exists(id); }});
    size_t bytes = 0;
    while (taken_.size() < limits::kMaxStoreBatchTransactions &&
           bytes < limits::kMaxStoreBatchBytes) {
      auto next = queue_->Take(1);
      if (next.empty()) break;
      taken_.push_back(std::move(next[0]));
      outcomes_.push_back(EvaluateOne(taken_.back(), state, batch, &bytes));
    }
    is_prepared_ = true;
    queue_->SubmitIfNeeded(*committer_);
    return {};
  }

  void Written() override {}

  void Finish(Result<Revision> written) override {
    if (!is_prepared_) {
      // Nobody else comes for what waits.
      for (Queued& queued : queue_->Take(limits::kMaxStoreQueuedEvaluations))
        queued.done(std::unexpected(written.error()));
      return;
    }
    for (size_t i = 0; i < taken_.size(); ++i) {
      Result<Outcome>& outcome = outcomes_[i];
      if (!outcome) {
        taken_[i].done(std::unexpected(std::move(outcome).error()));
      } else if (written) {
        taken_[i].done(outcome->revision);
      } else if (outcome->changed) {
        taken_[i].done(std::unexpected(written.error()));
      } else {
        // It may have been evaluated after one whose fate is not known, and changed nothing itself.
        taken_[i].done(Fail(StatusReason::kServiceUnavailable, written.error().message()));
      }
    }
  }

 private:
  struct Outcome {
    Revision revision;
    bool changed = false;
  };

  Result<Outcome> EvaluateOne(Queued& queued, EditedState& state, BatchBuilder& batch,
                              size_t* bytes) {
    if (Result<void> good = queued.evaluate(state); !good) {
      state.Discard();
      return std::unexpected(std::move(good).error());
    }
    // The builder refers to keys and values until the batch has been told.
    Transaction& transaction = transactions_.emplace_back();
    transaction.writes = state.TakeWrites();
    *bytes += TransactionBytes(transaction);
    Result<TransactionOutcome> outcome = batch.Add(transaction);
    if (!outcome) {
      state.Discard();
      return std::unexpected(std::move(outcome).error());
    }
    state.Keep();
    return Outcome{{outcome->revision}, outcome->changed};
  }

  EvaluationQueue* const queue_;
  Committer* const committer_;
  bool is_prepared_ = false;
  std::vector<Queued> taken_;
  std::vector<Result<Outcome>> outcomes_;
  std::deque<Transaction> transactions_;
};

void EvaluationQueue::Add(Committer& committer, Evaluation evaluate, StoreCallback<Revision> done) {
  bool has_room = false;
  {
    std::lock_guard lock(mutex_);
    has_room = queue_.size() < limits::kMaxStoreQueuedEvaluations;
    if (has_room) queue_.push_back({std::move(evaluate), std::move(done)});
  }
  if (!has_room) {
    return done(Fail(StatusReason::kTooManyRequests,
                     "the store has too many transactions waiting and takes no more"));
  }
  SubmitIfNeeded(committer);
}

void EvaluationQueue::SubmitIfNeeded(Committer& committer) {
  {
    std::lock_guard lock(mutex_);
    if (queue_.empty() || std::exchange(task_waits_, true)) return;
  }
  committer.Submit(std::make_unique<Task>(this, &committer));
}

std::vector<EvaluationQueue::Queued> EvaluationQueue::Take(size_t most) {
  std::lock_guard lock(mutex_);
  task_waits_ = false;
  std::vector<Queued> taken;
  while (!queue_.empty() && taken.size() < most) {
    taken.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return taken;
}

}  // namespace skiff::store
