// Taking a backup of a store while it is in use.
//
// All entries are those of one revision. The leases that they have are looked up afterwards, so
// that their remaining time is that at the end; a lease that has ended since is kept with nothing
// left, and its entries live on for a moment after a restore.
#pragma once

#include <functional>

#include "base/status.h"
#include "store/backup_format.h"
#include "store/store.h"

namespace skiff::store {

// How far long work has come.
struct WorkProgress {
  uint64_t entries = 0;
  uint64_t of_entries = 0;  // 0: not known
  uint64_t bytes = 0;
};
using ProgressFunction = std::function<void(const WorkProgress&)>;

// What can be backed up and copied: a Store, or a reader of the files of one. Calls block.
class BackupSource {
 public:
  virtual ~BackupSource() = default;
  // As Store::Scan.
  virtual Result<Revision> Scan(const KeyRange& range, ScanSink* sink) = 0;
  virtual Result<LeaseInfo> FindLease(LeaseId id) = 0;
  virtual Result<Revision> CurrentRevision() = 0;
};

// A store that must outlive it.
class StoreSource final : public BackupSource {
 public:
  explicit StoreSource(Store& store) : store_(store) {}
  Result<Revision> Scan(const KeyRange& range, ScanSink* sink) override;
  Result<LeaseInfo> FindLease(LeaseId id) override;
  Result<Revision> CurrentRevision() override;

 private:
  Store& store_;
};

// Writes the entries whose keys begin with the header's prefix. The sink's own end (a sync, a
// rename) is the caller's to bring about.
Result<BackupEnd> TakeBackup(BackupSource& source, const BackupHeader& header, ByteSink& sink,
                             const ProgressFunction& progress);

}  // namespace skiff::store
