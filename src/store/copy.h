// Moving what a backup holds into a running store, and comparing the two afterwards.
//
// Entries are written in the order in which they were last written at their origin, many in a
// transaction: of two objects the later one never gets the smaller revision. The revisions
// themselves are the target's own. (An embedded target that is made anew keeps revisions; that is
// done by the importer of store/embedded.) Leases are granted anew with the time that remained.
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "store/backup.h"
#include "store/backup_format.h"
#include "store/store.h"

namespace skiff::store {

struct LoadOptions {
  std::string prefix;  // of all keys of the backup
  // What the target has under the prefix is replaced, and what is not in the backup removed;
  // otherwise the target must have nothing there.
  bool overwrite = false;
  ProgressFunction progress = {};
};

struct LoadReport {
  uint64_t entries = 0;
  uint64_t bytes = 0;    // of keys and values
  uint64_t removed = 0;  // entries of the target
  Revision revision;     // of the last write
};

// After an error the target may hold a part; doing it again with `overwrite` mends that.
Result<LoadReport> LoadBackup(const BackupIndex& backup, Store& target, const LoadOptions& options);

struct CompareReport {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t expired = 0;  // entries whose lease had ended
};

// Every entry with its bytes, and that there are no others. Entries whose lease had no more than
// `elapsed` left may be missing. The error names the first differences.
Result<CompareReport> CompareWithBackup(const BackupIndex& backup, BackupSource& store,
                                        const std::string& prefix, Duration elapsed,
                                        const ProgressFunction& progress);

// Whether what the source has under the prefix is no longer what was backed up, leases that ended
// aside.
Result<bool> HasChangedSince(const BackupIndex& backup, BackupSource& source,
                             const std::string& prefix, Duration elapsed);

}  // namespace skiff::store
