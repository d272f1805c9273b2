// Waiting for a condition that nobody announces, such as a server that comes up.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/clock.h"

namespace skiff::testing {

// Asks `condition` every few milliseconds until it holds; false if it does not within `limit`.
template <typename Condition>
bool WaitUntilTrue(Clock& clock, Duration limit, Condition condition) {
  constexpr Duration kStep = std::chrono::milliseconds(10);
  Duration deadline = clock.Monotonic() + limit;
  std::mutex mutex;
  std::condition_variable nobody;
  std::unique_lock lock(mutex);
  while (!condition()) {
    Duration now = clock.Monotonic();
    if (now >= deadline) return false;
    clock.WaitUntil(nobody, lock, std::min(deadline, now + kStep));
  }
  return true;
}

// Lets that much time pass: for faults that must last, never for results that must come.
inline void LetPass(Clock& clock, Duration time) {
  WaitUntilTrue(clock, time, [] { return false; });
}

}  // namespace skiff::testing
