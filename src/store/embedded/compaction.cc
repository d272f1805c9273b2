#include "store/embedded/compaction.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "store/embedded/meta.h"

namespace skiff {
namespace {

class Step final : public CommitTask {
 public:
  Step(StoreState* state, CompactionStep step, StoreCallback<Revision> done)
      : state_(state), step_(std::move(step)), done_(std::move(done)) {}

  Result<void> Prepare(Engine& engine, BatchBuilder& batch) override {
    EngineBatch& rows = batch.rows();
    std::string bytes;
    for (const auto& [position, key] : step_.deletions) {
      rows.Delete(Family::kLog, LogKey(position));
      SKIFF_ASSIGN_OR_RETURN(const bool found, engine.Get(Family::kCurrent, key, &bytes));
      if (!found) continue;
      SKIFF_ASSIGN_OR_RETURN(const CurrentRow row, DecodeCurrentRow(key, bytes));
      // Unless the key has been made anew.
      if (row.position == position) batch.RemoveRow(key);
    }
    for (const LogPosition position : step_.replaced) rows.Delete(Family::kLog, LogKey(position));
    PutMeta(rows, kMetaCompacted, step_.to);
    // Before anything is gone: see StoreState.
    state_->compacted.store(std::max(state_->compacted.load(), step_.to));
    return {};
  }

  void Written() override { state_->swept.store(step_.to); }

  void Finish(Result<Revision> written) override {
    if (!written) return done_(std::unexpected(std::move(written).error()));
    done_(Revision{step_.to});
  }

 private:
  StoreState* state_;
  CompactionStep step_;
  StoreCallback<Revision> done_;
};

}  // namespace

Result<CompactionStep> PlanCompaction(EngineGate& gate, StoreReader& reader, int64_t from,
                                      int64_t target) {
  SKIFF_ASSIGN_OR_RETURN(const EngineGate::Reader engine, gate.Enter());
  const auto snapshot = engine->NewSnapshot();
  const auto cursor = snapshot->NewCursor(Family::kLog);
  CompactionStep step;
  step.to = target;
  size_t seen = 0;
  size_t bytes = 0;
  int64_t last = from;
  for (cursor->Seek(LogKey({from, 0})); cursor->Valid(); cursor->Next()) {
    SKIFF_ASSIGN_OR_RETURN(const LogPosition position, DecodeLogKey(cursor->key()));
    if (position.revision > target) break;
    const bool enough = seen >= limits::kMaxStorePieceEntries || bytes >= limits::kStorePieceBytes;
    if (enough && position.revision != last && last > from) {
      step.to = last;
      break;
    }
    last = position.revision;
    ++seen;
    bytes += cursor->value().size();
    const Result<LogRecord> record = DecodeRecord(position, cursor->value());
    if (!record) {
      // What it replaced stays: some space is lost, and the health tells of the damage.
      reader.Damaged(record.error(), "", position.revision);
      continue;
    }
    // Of the revision `from` this has been done.
    if (record->previous && position.revision > from) step.replaced.push_back(record->previous);
    if (record->kind == Write::Kind::kDelete) step.deletions.emplace_back(position, record->key);
  }
  SKIFF_RETURN_IF_ERROR(cursor->status());
  // Those of the last revision may still be watched from there.
  std::erase_if(step.deletions, [&](const auto& at) { return at.first.revision >= step.to; });
  return step;
}

std::unique_ptr<CommitTask> CompactionTask(StoreState* state, CompactionStep step,
                                           StoreCallback<Revision> done) {
  return std::make_unique<Step>(state, std::move(step), std::move(done));
}

}  // namespace skiff
