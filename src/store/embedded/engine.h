// What the embedded store needs of a storage engine: an ordered map on disk with atomic, durable
// batches. This is the seam between our revisions, leases and watches above and the library below,
// and the place where a simulation puts its own disk.
//
// Two implementations: RocksDB (rocksdb_engine.h), and memory (memory_engine.h) for simulations and
// for tests that need no disk.
//
// An engine that has failed a write stays failed: every later write gives the same error, reads go
// on while they can, and only a new engine on the same directory may write again.
//
// Threads: one thread at a time writes; Get and cursors may be used by any thread meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/embedded/disk_space.h"

namespace skiff::store {

// Separate maps that are written together.
enum class Family : uint8_t {
  kMeta,     // name → number: format version, revisions, counts
  kLog,      // revision and number within it → record (record.h)
  kCurrent,  // key → where in the log its last record is
  kLease,    // lease → how long it lasts
};
inline constexpr size_t kFamilyCount = 4;

class EngineBatch {
 public:
  virtual ~EngineBatch() = default;
  virtual void Put(Family family, std::string_view key, std::string_view value) = 0;
  virtual void Delete(Family family, std::string_view key) = 0;
  virtual void Clear() = 0;
  virtual size_t bytes() const = 0;
};

// Walks one family in order of keys, as it was when the cursor or its snapshot was made.
class EngineCursor {
 public:
  virtual ~EngineCursor() = default;
  virtual void Seek(std::string_view key) = 0;  // to the first key that is not smaller
  virtual void Next() = 0;
  // False at the end and after an error; status() tells which.
  virtual bool Valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual Result<void> status() const = 0;
};

// A consistent view of all families. Cursors of it must not outlive it.
class EngineSnapshot {
 public:
  virtual ~EngineSnapshot() = default;
  virtual std::unique_ptr<EngineCursor> NewCursor(Family family) = 0;
  // False if the key is absent.
  virtual Result<bool> Get(Family family, std::string_view key, std::string* value) = 0;
};

struct EngineFigures {
  uint64_t bytes_on_disk = 0;
  uint64_t bytes_in_use = 0;
  uint64_t syncs = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::unique_ptr<EngineBatch> NewBatch() = 0;
  // All of the batch or nothing, on disk when it returns. After kServerTimeout the batch may or may
  // not be found by the next opening, and the engine is failed. After any other error nothing was
  // written: kServiceUnavailable because an earlier write failed, or because the disk is nearly
  // full, in which case the same engine writes again once there is room.
  virtual Result<void> Write(EngineBatch& batch) = 0;

  virtual Result<bool> Get(Family family, std::string_view key, std::string* value) = 0;
  virtual std::unique_ptr<EngineSnapshot> NewSnapshot() = 0;

  // Rewrites the files so that nothing dead is left in them.
  virtual Result<void> Defragment() = 0;

  // How much room the disk has, as of the last measurement: with the writes, every now and then.
  virtual DiskSpace room() { return DiskSpace::kPlenty; }
  virtual DiskSpace MeasureDiskSpace() { return DiskSpace::kPlenty; }
  // Gives the room of what was deleted back to the disk, without rewriting all of the rest. Takes
  // its time, unless `stop` becomes true.
  virtual Result<void> Reclaim(std::atomic<bool>& stop) {
    static_cast<void>(stop);
    return {};
  }
  virtual EngineFigures Figures() = 0;
  // An error that came to light outside of a call, in the background. To be asked now and then.
  virtual Result<void> Health() = 0;
  // What is known to be damaged, for people; empty if nothing is. All else is read and written.
  virtual std::string Damage() { return {}; }
};

}  // namespace skiff::store
