// Where the threads of this process spend their processor time: each is interrupted whenever it has
// used a period of it, and the stack that it is on then is counted.
//
// Every thread has a timer of its own, on its own processor time; threads that start later get one
// with the next Collect(). A sample is taken in a signal handler (SIGPROF), which only unwinds and
// fills one of a fixed number of places; Collect() empties these.
//
// There is one sampler in a process at a time: the signal belongs to all of it. Start(), Collect()
// and the destructor are the owner's, on one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <sys/types.h>

#include "base/clock.h"
#include "base/status.h"

namespace skiff::profiling {

class CpuSampler {
 public:
  // Addresses from the innermost outwards; behind the first they are those of returns, less one.
  using Stack = std::vector<uintptr_t>;

  // kConflict: there is one already.
  static Result<std::unique_ptr<CpuSampler>> Start(Duration period);
  CpuSampler(const CpuSampler&) = delete;
  CpuSampler& operator=(const CpuSampler&) = delete;
  ~CpuSampler();

  // To be called several times a second, and once at the end.
  void Collect();

  // How often each stack was seen.
  const std::map<Stack, uint64_t>& stacks() const { return stacks_; }
  // Samples for which there was no room.
  uint64_t lost() const { return lost_; }
  Duration period() const { return period_; }

 private:
  explicit CpuSampler(Duration period) : period_(period) {}
  void TimeNewThreads();
  void Count(const Stack& stack, uint64_t times);

  const Duration period_;
  std::map<pid_t, timer_t> timers_;  // by thread
  std::map<Stack, uint64_t> stacks_;
  uint64_t lost_ = 0;
};

}  // namespace skiff::profiling
