// Reads the data of an embedded store without serving it: for backups beside a running server, for
// copies, and for looking at a store that no server has open. Nothing is written.
//
// What is read is the state of the engine, which for one that was opened read-only is that at the
// time of opening.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/backup.h"
#include "store/embedded/engine.h"
#include "store/embedded/engine_gate.h"
#include "store/embedded/lease_table.h"
#include "store/embedded/meta.h"
#include "store/embedded/reader.h"
#include "store/embedded/store_state.h"

namespace skiff::store {

// What a verification has read.
struct VerifyReport {
  uint64_t records = 0;  // of the log, those of old revisions included
  uint64_t keys = 0;     // that exist
  uint64_t leases = 0;
  uint64_t damaged = 0;             // places where something is wrong
  std::vector<std::string> damage;  // what is, of the first of them, for people

  void Add(std::string what);
};

// What a salvage has found beside the entries.
struct SalvageFindings {
  // Keys, or stretches of keys, that could not be read.
  std::vector<std::pair<KeyRange, Status>> lost;
  // Writes that are missing from the history, for people. Their keys are not known; they may be
  // among the lost ones, or be there as they were before.
  std::vector<std::string> gaps;
};

// One thread at a time.
class OfflineReader final : public BackupSource {
 public:
  // kNotFound if there is nothing in the engine. The clock tells how long leases last.
  static Result<std::unique_ptr<OfflineReader>> Open(std::unique_ptr<Engine> engine, Clock* clock);
  // Likewise, of an engine that holds what is left of a damaged store: numbers that cannot be read
  // are made up from what can. A newer format is refused all the same.
  static Result<std::unique_ptr<OfflineReader>> OpenDamaged(std::unique_ptr<Engine> engine,
                                                            Clock* clock);

  Result<Revision> Scan(const KeyRange& range, ScanSink* sink) override;
  Result<LeaseInfo> FindLease(LeaseId id) override;
  Result<Revision> CurrentRevision() override { return Revision{meta_.revision}; }

  Result<std::optional<KeyValue>> Get(std::string_view key);
  const StoreMeta& meta() const { return meta_; }
  Result<uint64_t> CountLeases();
  EngineFigures Figures() { return gate_.engine()->Figures(); }

  // Reads every record with its checksum, and checks that the parts of the store agree: each key
  // with its record in the log, each lease with its keys, and the counts. Damage does not end it.
  Result<VerifyReport> Verify(const ProgressFunction& progress);

  // Passes on every entry that can be read, in order of revision.
  Result<SalvageFindings> Salvage(ScanSink* sink);
  std::vector<LeaseInfo> Leases() { return leases_.List(); }

 private:
  OfflineReader(std::unique_ptr<Engine> engine, Clock* clock)
      : gate_(std::move(engine)), leases_(clock), reader_(&gate_, &state_) {}

  Result<void> LoadLeases();
  // Tells of writes since the last compaction whose records are missing.
  Result<void> VerifyLog(EngineSnapshot& snapshot, const ProgressFunction& progress,
                         VerifyReport* report);
  Result<void> VerifyKeys(EngineSnapshot& snapshot, const ProgressFunction& progress,
                          VerifyReport* report);
  Result<void> VerifyKey(EngineSnapshot& snapshot, std::string_view key, const CurrentRow& row);
  Result<void> VerifyLeases(EngineSnapshot& snapshot, VerifyReport* report);

  EngineGate gate_;
  StoreState state_;
  StoreMeta meta_;
  LeaseTable leases_;
  StoreReader reader_;
};

}  // namespace skiff::store
