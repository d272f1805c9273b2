// The engine on RocksDB: the only place, with rocksdb_directory.h, that knows about that library.
//
// The directory belongs to one process at a time, which holds a lock on the file OWNER (nobody else
// may open and close that file in this process: that would drop the lock). Beside RocksDB's own
// files there is RESERVE, room that is given up when the disk is full, so that what is in memory
// can still be put into files and old states can be deleted (disk_space.h).
//
// There are secrets in it, so nobody but its owner may look into the directory: it is made so, and
// one that is not is changed when it is opened for writing.
//
// What the write-ahead log and the manifest must hold is decided here and not by RocksDB
// (record_file.h): the torn end that a power cut leaves is cut off before RocksDB sees it; any
// other damage is an error that names the file. RocksDB then reads the log in its strictest mode.
// Logs that must be there are listed in FILES (file_list.h). A table that is damaged or missing, on
// the other hand, is an error only for those who ask for what it holds, and Damage() tells of it;
// tables are then no longer merged, since that would fail.
//
// Errors name the directory, what is wrong and what to do. Write gives two kinds: kServerTimeout
// when the batch may or may not be found by the next opening, after which the engine is failed for
// good; kServiceUnavailable when the batch was turned away before anything was written, either
// because an earlier write failed, or because the disk is nearly full, which passes when there is
// room again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/limits.h"
#include "store/embedded/disk_space.h"
#include "store/embedded/engine.h"

namespace rocksdb {
class FileSystem;
}

namespace skiff::store {

struct RocksDbOptions {
  std::string directory;
  // Make the directory (its parent must exist) and an empty store in it if there is none; without
  // it, that is kNotFound. Files of anything else in the directory are an error in any case.
  bool create = true;
  // Reads beside a process that may be writing: what is found is the state at the time of opening,
  // with all that was acknowledged until then. Nothing in the directory is changed.
  bool read_only = false;
  // Reads whatever can be read of a directory that is damaged, without asking what is missing:
  // what it gives is not a store but what a store can be made of. Nothing is changed.
  bool salvage = false;
  // Whether a write waits for the disk. Without it a power cut may take what was acknowledged; the
  // end of the process alone does not.
  bool sync = true;
  // Told if others could look into the directory until now.
  std::function<void()> on_exposed = [] {};
  // For simulations; null is the machine's. Modes of files are the machine's alone.
  std::shared_ptr<rocksdb::FileSystem> file_system;
  // Of each family. Tests choose less, for many files from few writes.
  size_t write_buffer_bytes = limits::kStoreWriteBufferBytes;
  // Unset: as it fits the disk.
  std::optional<DiskSpaceLimits> room = {};
};

class RocksDbEngine {
 public:
  // Snapshots and cursors must be gone before the engine.
  static Result<std::unique_ptr<Engine>> Open(RocksDbOptions options);
  // An error if another process has the directory open.
  static Result<void> CheckFree(const RocksDbOptions& options);
  // Makes in a directory that does not exist yet what can be salvaged of one in which not even
  // RocksDB's own accounts of its files can be read: they are made up anew from the files.
  static Result<void> Rebuild(const RocksDbOptions& options, const std::string& into);
  // Whether the disk can be written at all, beside an engine that has failed: for deciding when it
  // is worth closing that one, which still serves reads, and opening another.
  static Result<void> Probe(const RocksDbOptions& options);
};

}  // namespace skiff::store
