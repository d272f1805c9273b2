// Transactions that cannot be said as conditions and writes beforehand: each is a function, which
// the committer's thread calls when it is its turn, on the state as it is then. What waits is
// judged together and written with one sync.
//
// Owned by the store; outlives the committer.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "store/embedded/committer.h"
#include "store/embedded/edited_state.h"
#include "store/store.h"

namespace skiff::store {

class EvaluationQueue {
 public:
  EvaluationQueue(StoreReader* reader, StoreState* state, LeaseTable* leases)
      : reader_(reader), state_(state), leases_(leases) {}

  // `done` gets the revision of the transaction, or the store's if it changed nothing, when it is
  // on disk.
  void Add(Committer& committer, Evaluation evaluate, StoreCallback<Revision> done);

 private:
  class Task;
  struct Queued {
    Evaluation evaluate;
    StoreCallback<Revision> done;
  };

  std::vector<Queued> Take(size_t most);
  void SubmitIfNeeded(Committer& committer);

  StoreReader* const reader_;
  StoreState* const state_;
  LeaseTable* const leases_;
  std::mutex mutex_;
  std::deque<Queued> queue_;
  bool task_waits_ = false;
};

}  // namespace skiff::store
