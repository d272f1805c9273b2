// Measures the space on the disk of an engine and looks after the reserve (disk_space.h). Private
// to rocksdb_engine.cc.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "base/status.h"
#include "store/embedded/disk_space.h"
#include "store/embedded/rocksdb_directory.h"

namespace skiff::store {

class DiskSpaceMonitor {
 public:
  // Without limits they follow from the size of the disk. The directory must outlive it.
  DiskSpaceMonitor(const RocksDbDirectory* directory, std::optional<DiskSpaceLimits> limits)
      : directory_(directory), given_limits_(limits) {}

  // Recovery puts into files what the log holds: if there is little room for that, it gets the
  // reserve, and the answer is no.
  bool BeforeOpening();
  // Asks the disk; puts a reserve aside or gives it up as is due.
  DiskSpace Measure();
  // Asks for room for a write, and the disk itself only from time to time while there is much.
  // kServiceUnavailable: the write would fail, and is not to be tried.
  Result<void> Take(size_t bytes);

  DiskSpace room() const { return room_.load(); }
  bool refuses() const { return refuses_.load(); }

 private:
  // So many of the free bytes are about to be written.
  void MeasureLocked(size_t bytes);

  const RocksDbDirectory* const directory_;
  const std::optional<DiskSpaceLimits> given_limits_;
  std::atomic<DiskSpace> room_{DiskSpace::kPlenty};
  std::atomic<bool> refuses_{false};

  std::mutex mutex_;
  std::optional<DiskSpaceLimits> limits_;
  uint64_t free_ = 0;              // when last asked
  uint64_t unmeasured_bytes_ = 0;  // written since
};

}  // namespace skiff::store
