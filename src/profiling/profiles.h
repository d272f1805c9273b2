// Profiles of this process, complete and ready to be sent: gzip is left to the caller.
#pragma once

#include <string>

#include "base/clock.h"
#include "profiling/cpu_sampler.h"

namespace skiff::profiling {

// How often the processor time is sampled: a hundred times a second, as Go does.
inline constexpr Duration kCpuProfilePeriod = std::chrono::milliseconds(10);

// What a sampler has counted. `begin` is of the wall clock.
std::string CpuProfile(const CpuSampler& sampler, Duration begin, Duration length);

// What the memory of the process is used for, as far as the kernel and the allocator tell: samples
// of bytes in use. Allocations are not sampled, so the stacks have names in place of functions.
std::string HeapProfile(Duration now);
// The same for people, and all that the allocator says of its arenas.
std::string HeapText();

}  // namespace skiff::profiling
