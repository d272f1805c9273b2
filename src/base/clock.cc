#include "base/clock.h"

namespace skiff {
namespace {

// How often a waiter on a ManualClock looks again. It is woken by its own condition variable, which
// the clock does not know, so a jump of the clock is noticed by looking.
constexpr std::chrono::milliseconds kManualPoll{1};

}  // namespace

Duration ManualClock::Monotonic() {
  std::lock_guard lock(mutex_);
  return monotonic_;
}

Duration ManualClock::Wall() {
  std::lock_guard lock(mutex_);
  return wall_;
}

void ManualClock::WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                            Duration deadline) {
  if (deadline == kForever) return wake.wait(lock);
  if (Monotonic() < deadline) wake.wait_for(lock, kManualPoll);
}

void ManualClock::Advance(Duration by) {
  std::lock_guard lock(mutex_);
  monotonic_ += by;
  wall_ += by;
}

void ManualClock::JumpWall(Duration by) {
  std::lock_guard lock(mutex_);
  wall_ += by;
}

}  // namespace skiff
