// What a process has used so far, as Linux tells: time on processors, and memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"

namespace skiff::load {

struct ProcessUsage {
  Duration cpu{};  // of all its threads, in user and kernel mode
  uint64_t resident_bytes = 0;
  uint64_t peak_resident_bytes = 0;
};

// Of a process on this machine; an error when there is none, or nothing may be known of it.
Result<ProcessUsage> ReadProcessUsage(int64_t pid);

// utime and stime of /proc/PID/stat, in ticks; the name of the process may contain anything. False
// when the text is none of that form.
bool ParseCpuTicks(std::string_view stat, uint64_t& ticks);
// "VmRSS:     1234 kB" of /proc/PID/status, in bytes; zero when it is not there.
uint64_t ParseMemory(std::string_view status, std::string_view name);

}  // namespace skiff::load
