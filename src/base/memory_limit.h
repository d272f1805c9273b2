// How much memory the process may have, and how near it is to that: so that new work is refused in
// time. A process that takes more than its cgroup allows is killed, with all that is under way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"

namespace skiff {

// In bytes, each the first three numbers of /proc/self/statm. Files are those that are mapped: the
// kernel takes their pages back when it needs them.
struct ProcessMemory {
  uint64_t address_space = 0;
  uint64_t resident = 0;
  uint64_t resident_files = 0;

  uint64_t own() const { return resident > resident_files ? resident - resident_files : 0; }
};
// Nothing where the system does not tell.
std::optional<ProcessMemory> ReadProcessMemory();

// The least that the cgroup of this process and those above it allow, of version 2 (memory.max) or
// 1 (memory.limit_in_bytes); nothing if they allow anything. `root` is put before all paths, for
// tests.
std::optional<uint64_t> CgroupMemoryLimit(const std::string& root = "");
// Of the machine.
uint64_t PhysicalMemory();
// What holds of all of these and `wanted`, if that is not zero.
uint64_t MemoryLimit(uint64_t wanted);

// Any thread.
class MemoryGauge {
 public:
  enum class Level : uint8_t {
    kRoom,
    kTight,  // nothing that stays should be added
    kFull,   // nothing at all should be begun
  };

  // `measure` gives what the process has.
  MemoryGauge(Clock& clock, uint64_t limit_bytes, std::function<uint64_t()> measure);
  MemoryGauge(Clock& clock, uint64_t limit_bytes);

  // Measured now and then.
  Level level();
  uint64_t limit_bytes() const { return limit_bytes_; }

 private:
  Clock& clock_;
  const uint64_t limit_bytes_;
  const std::function<uint64_t()> measure_;
  std::atomic<Duration::rep> next_look_ = 0;
  std::atomic<Level> level_ = Level::kRoom;
};

}  // namespace skiff
