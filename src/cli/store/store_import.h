// Making a new embedded store of a backup.
//
// It is made in a directory beside and renamed at the end, so that whatever happens there is either
// all of it or nothing. (A process that is killed leaves the directory beside, whose name begins
// with a dot; the next one that makes the same store removes it.)
#pragma once

#include <functional>
#include <string>

#include "base/random.h"
#include "base/status.h"
#include "cli/common/long_operation.h"
#include "store/backup_format.h"

namespace skiff::cli {

struct ImportOptions {
  std::string directory;
  int64_t bump_revision = 0;
  // Called with the finished store under its temporary name; an error discards it.
  std::function<Result<void>(const std::string& made)> check = {};
};

// That the directory does not exist or is empty, and that a new one can be made beside. Worth
// asking before long work begins.
Result<void> CheckNewDirectory(const std::string& directory);

// That a place where something is to be made does not lie in the directory of a store, whose files
// are the store's own.
Result<void> CheckOutside(const std::string& place, const std::string& store_directory);

// Calls `fill` with two paths that do not exist yet: it makes the store at the first, and may use
// the second for what it needs meanwhile. Then the store gets its name.
Result<void> MakeNewDirectory(
    const std::string& directory, LongOperation& work,
    const std::function<Result<void>(const std::string& made, const std::string& scratch)>& fill);

// The revision of the new store.
Result<store::Revision> ImportIntoNewDirectory(const store::BackupIndex& backup,
                                               const ImportOptions& options, LongOperation& work,
                                               Random& random);

}  // namespace skiff::cli
