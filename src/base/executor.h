// Where the tasks of one component run, one at a time and in order: the thread of an event loop, or
// the one thread of a simulation, where time passes as the simulation says. Code that only knows
// its executor, its clock and its randomness runs in both.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"

namespace skiff {

class Executor {
 public:
  using Work = std::move_only_function<void()>;
  struct TimerId {
    uint64_t value = 0;  // zero: none
  };

  virtual ~Executor() = default;

  // Any thread. Runs `work` soon, after what was posted before.
  virtual void Post(Work work) = 0;
  // On the executor: runs `work` once, when that much time has passed.
  virtual TimerId After(Duration delay, Work work) = 0;
  // On the executor. Harmless when the timer has run or been cancelled.
  virtual void Cancel(TimerId timer) = 0;
  virtual Clock& clock() = 0;
};

}  // namespace skiff
