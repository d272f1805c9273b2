// A scripted load for an engine, whose every state is known, and the check that an engine holds one
// of those states and no other.
//
// Step r writes, in one batch: a log record and the row of its key at "revision" r, the number r
// itself, sometimes a lease, and deletions of what earlier steps left. The steps are the same in
// each run; sizes are chosen so that, with small buffers, files are written, merged and removed all
// the time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/embedded/engine.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff {

class EngineWorkload {
 public:
  static constexpr size_t kWriteBufferBytes = 64 * 1024;

  explicit EngineWorkload(uint64_t steps);

  uint64_t steps() const { return steps_; }
  Result<void> Write(store::Engine& engine, uint64_t step) const;

  struct Found {
    uint64_t revision = 0;
    std::string problem;  // empty if the engine holds exactly the state at that revision
  };
  // Reads everything. Any error is a problem.
  Found Check(store::Engine& engine) const;

 private:
  using Contents = std::array<std::map<std::string, std::string>, store::kFamilyCount>;
  struct Change {
    store::Family family;
    std::string key;
    std::string value;
    bool deletion = false;
  };

  static std::vector<Change> ChangesOf(uint64_t step);
  static uint64_t Fingerprint(const Contents& contents);

  const uint64_t steps_;
  std::vector<uint64_t> fingerprints_;  // of the contents after each step
};

// Opens the engine on a disk (null: the machine's) with small buffers.
store::RocksDbOptions WorkloadOptions(std::shared_ptr<rocksdb::FileSystem> disk);

}  // namespace skiff
