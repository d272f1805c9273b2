#include "store/embedded/compaction.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "store/embedded/meta.h"
#include "store/embedded/walk.h"

namespace skiff::store {
namespace {

class Step final : public CommitTask {
 public:
  Step(StoreState* state, CompactionStep step, StoreCallback<Revision> done)
      : state_(state), step_(std::move(step)), done_(std::move(done)) {}

  Result<void> Prepare(Engine& engine, BatchBuilder& batch) override {
    EngineBatch& rows = batch.rows();
    const auto snapshot = engine.NewSnapshot();
    for (const auto& [position, key] : step_.deletions) {
      const Result<std::optional<CurrentRow>> row = ReadRow(*snapshot, key);
      if (!row && !IsDamage(row.error())) return std::unexpected(row.error());
      // What is known of a key whose row is lost stays.
      if (!row) continue;
      rows.Delete(Family::kLog, LogKey(position));
      // Unless the key has been made anew.
      if (*row && (*row)->position == position) batch.RemoveRow(key);
    }
    for (const LogPosition position : step_.replaced) rows.Delete(Family::kLog, LogKey(position));
    PutMeta(rows, kMetaCompacted, step_.to);
    // Before anything is gone: see StoreState.
    state_->compacted.store(std::max(state_->compacted.load(), step_.to));
    return {};
  }

  void Written() override {
    state_->swept.store(step_.to);
    state_->dead_bytes.fetch_add(step_.bytes);
  }

  void Finish(Result<Revision> written) override {
    if (!written) return done_(std::unexpected(std::move(written).error()));
    done_(Revision{step_.to});
  }

 private:
  StoreState* state_;
  CompactionStep step_;
  StoreCallback<Revision> done_;
};

// What a record has replaced is about as large as itself, unless it is a deletion.
uint64_t BytesBefore(EngineSnapshot& snapshot, const LogRecord& record, size_t own_bytes) {
  if (record.kind == Write::Kind::kPut) return own_bytes;
  std::string bytes;
  const Result<bool> found = snapshot.Get(Family::kLog, LogKey(record.previous), &bytes);
  return found && *found ? bytes.size() : 0;
}

}  // namespace

Result<CompactionStep> PlanCompaction(EngineGate& gate, StoreReader& reader, int64_t from,
                                      int64_t target) {
  SKIFF_ASSIGN_OR_RETURN(const EngineGate::Reader engine, gate.Enter());
  const auto snapshot = engine->NewSnapshot();
  CompactionStep step;
  step.to = target;
  size_t seen = 0;
  size_t bytes = 0;
  int64_t last = from;
  LogWalk walk;
  walk.on_record = [&](LogPosition position, const LogRecord& record, size_t size) -> Result<bool> {
    const bool enough = seen >= limits::kMaxStorePieceEntries || bytes >= limits::kStorePieceBytes;
    if (enough && position.revision != last && last > from) {
      step.to = last;
      return false;
    }
    last = position.revision;
    ++seen;
    bytes += size;
    // Of the revision `from` this has been done.
    if (record.previous && position.revision > from) {
      step.replaced.push_back(record.previous);
      step.bytes += BytesBefore(*snapshot, record, size);
    }
    if (record.kind == Write::Kind::kDelete) step.deletions.emplace_back(position, record.key);
    return true;
  };
  // What it replaced stays: some space is lost, and the health tells of the damage.
  walk.on_damage = [&](LogPosition first, LogPosition, const Status& why) -> Result<void> {
    reader.Damaged(why, "", first.revision);
    return {};
  };
  SKIFF_RETURN_IF_ERROR(WalkLog(*snapshot, {from, 0}, target, walk));
  // Those of the last revision may still be watched from there.
  std::erase_if(step.deletions, [&](const auto& at) { return at.first.revision >= step.to; });
  return step;
}

std::unique_ptr<CommitTask> CompactionTask(StoreState* state, CompactionStep step,
                                           StoreCallback<Revision> done) {
  return std::make_unique<Step>(state, std::move(step), std::move(done));
}

}  // namespace skiff::store
