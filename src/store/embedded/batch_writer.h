// The second half of a commit: writes batches to the engine, in order, on a thread of its own.
//
// Two batches are on their way at most: one that is being written and one that waits for it, which
// its owner may take back to add to it. A batch that waits was judged by what the one before
// writes; when that one fails, it is not written.
//
// Owned by the committer, whose mutex guards it.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "base/status.h"
#include "base/thread.h"
#include "store/embedded/batch_builder.h"
#include "store/embedded/engine.h"

namespace skiff::store {

class BatchWriter {
 public:
  // `mutex` guards all of this; `finished` is notified when a batch has been written or has failed.
  BatchWriter(std::mutex* mutex, std::condition_variable* finished);
  // What waits must have been taken back or written.
  ~BatchWriter();

  // The mutex is held in all of these. The batch stays the owner's and must stay where it is. It is
  // ignored if there is an error that TakeResult() has not told of.
  void Offer(PreparedBatch* batch, Engine* engine);
  // The batch that waits becomes its owner's again. False if none does: all are being written, or
  // have been.
  bool TakeBack();
  // What came of the first batch that this has not told of yet; nothing if that is not known. After
  // an error no further batch is on its way.
  std::optional<Result<void>> TakeResult();

 private:
  void Work();

  std::mutex* const mutex_;
  std::condition_variable* const finished_;
  std::condition_variable wake_;
  PreparedBatch* current_ = nullptr;
  PreparedBatch* waiting_ = nullptr;
  Engine* engine_ = nullptr;
  std::deque<Result<void>> results_;
  bool stopping_ = false;
  std::optional<Thread> thread_;
};

// Writes the batch on the caller's thread.
Result<void> WriteBatch(PreparedBatch& batch, Engine& engine);

}  // namespace skiff::store
