// Turns transactions into one batch of the engine: checks their conditions against what is stored
// and what earlier transactions write, in this batch or in the one before that may still be on its
// way to the disk; gives each that changes something the next revision, and encodes the rows.
//
// Used by the committer, on its thread. The writes and conditions of the transactions must stay
// where they are until the batch is written and told, since rows and events refer to their keys and
// values.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "store/embedded/disk_space.h"
#include "store/embedded/engine.h"
#include "store/embedded/lease_table.h"
#include "store/embedded/record.h"
#include "store/embedded/row_cache.h"
#include "store/store.h"

namespace skiff::store {

// One write that the batch contains: what its event is made of.
struct WrittenRecord {
  Write::Kind kind;
  LogPosition position;
  int64_t create_revision;
  int64_t version;
  LeaseId lease;
  LogPosition previous;  // of the state before; nowhere if there was none
  std::string_view key;
  const SharedBytes* value;  // null for a deletion
};

struct TransactionOutcome {
  bool succeeded = false;
  bool changed = false;  // something, which has given it a revision
  int64_t revision = 0;
  // Where the values of the conditions' keys are, if a condition failed.
  std::vector<std::optional<LogPosition>> current;
};

// A batch that is being filled, or that is on its way to the disk. The committer's thread fills it
// and reads it; whoever writes it uses Seal() alone.
class PreparedBatch {
 public:
  // The rows as they are to be written; null if there is nothing to write. Afterwards nothing may
  // be added.
  EngineBatch* Seal();

  int64_t revision() const { return revision_; }
  int64_t keys() const { return keys_; }
  const std::vector<WrittenRecord>& written() const { return written_; }
  uint64_t changes() const { return static_cast<uint64_t>(revision_ - first_revision_); }

 private:
  friend class BatchBuilder;
  using Rows = std::unordered_map<std::string_view, std::optional<CurrentRow>>;

  std::unique_ptr<EngineBatch> batch_;
  int64_t first_revision_ = 0;
  int64_t revision_ = 0;
  int64_t first_keys_ = 0;
  int64_t keys_ = 0;
  Rows rows_;  // that the batch read or wrote
  std::vector<std::string> removed_;
  std::vector<WrittenRecord> written_;
  std::deque<Write> own_writes_;
};

class BatchBuilder {
 public:
  BatchBuilder(Engine* engine, LeaseTable* leases, Random& random)
      : engine_(engine), leases_(leases), cache_(random) {}

  // Empties the batch, whatever it held, and starts it after the given revision and count of keys.
  void Begin(PreparedBatch* batch, int64_t revision, int64_t keys);
  // Chooses the batch that the calls below add to. `earlier` is the one before if Written() has not
  // been called for it, or null.
  void Continue(PreparedBatch* batch, const PreparedBatch* earlier);

  // How much of the disk is left: what a transaction may add follows from that.
  void SetDiskSpace(DiskSpace room) { room_ = room; }

  // An error refuses this transaction alone.
  Result<TransactionOutcome> Add(const Transaction& transaction);

  // A transaction of deletions without conditions, for leases. The keys that are there are deleted
  // at one revision; false if none is.
  Result<bool> DeleteAll(std::vector<std::string> keys);

  // Other rows that go into the same batch.
  EngineBatch& rows() { return *batch_->batch_; }

  // Removes the row of a key that stays deleted.
  void RemoveRow(std::string_view key);

  // The batch has been written.
  void Written(const PreparedBatch& batch);

  // Reads some rows before they are asked for, so that a store that was just opened is soon as fast
  // as one that has been open for long.
  void WarmUp();
  bool is_warm() const { return is_warm_; }

 private:
  // The row of the key as of now, in a batch or on disk; nothing if there is no live or deleted
  // row. The pointer is valid until the next batch.
  Result<std::optional<CurrentRow>*> Find(std::string_view key);
  Result<void> Read(std::string_view key, std::optional<CurrentRow>* row);
  Result<bool> ConditionsHold(const Transaction& transaction, TransactionOutcome* outcome);
  Result<bool> ChangesSomething(const Transaction& transaction);
  Result<void> CheckGrowth(const Transaction& transaction);
  // Of the key and the value that the record holds.
  Result<int64_t> StoredBytes(LogPosition position);
  void Append(const Write& write, uint32_t op, std::optional<CurrentRow>* row);

  Engine* const engine_;
  LeaseTable* const leases_;
  PreparedBatch* batch_ = nullptr;
  const PreparedBatch* earlier_ = nullptr;
  RowCache cache_;
  DiskSpace room_ = DiskSpace::kPlenty;
  std::string scratch_;
  bool is_warm_ = false;
  std::string warm_from_;  // this key on, nothing has been read
  size_t warmed_rows_ = 0;
};

}  // namespace skiff::store
