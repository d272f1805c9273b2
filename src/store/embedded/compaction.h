// Forgetting old states, step by step.
//
// Compacting to a revision removes from the log what the writes up to it replaced, and deletions
// before it. The state at the revision itself stays whole, and so do all its events, so that it can
// be read and watched from. Each step handles a bounded run of the log and moves the mark
// `compacted` with what it removes, in one batch: a crash leaves a store that is compacted to some
// revision on the way.
//
// A step is planned by any thread, since the log up to a past revision does not change otherwise,
// and executed by the committer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/embedded/committer.h"
#include "store/embedded/engine_gate.h"
#include "store/embedded/reader.h"
#include "store/embedded/record.h"
#include "store/embedded/store_state.h"

namespace skiff::store {

struct CompactionStep {
  int64_t to = 0;                                              // the mark after it
  std::vector<LogPosition> replaced;                           // records that are no longer needed
  std::vector<std::pair<LogPosition, std::string>> deletions;  // with their keys
  uint64_t bytes = 0;                                          // of all these, about
};

// The first step from revision `from`, the mark as it is, to `target`.
Result<CompactionStep> PlanCompaction(EngineGate& gate, StoreReader& reader, int64_t from,
                                      int64_t target);

std::unique_ptr<CommitTask> CompactionTask(StoreState* state, CompactionStep step,
                                           StoreCallback<Revision> done);

}  // namespace skiff::store
