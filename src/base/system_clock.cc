#include "base/clock.h"

namespace skiff {

Duration SystemClock::Monotonic() { return std::chrono::steady_clock::now().time_since_epoch(); }

Duration SystemClock::Wall() {
  return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch());
}

void SystemClock::WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                            Duration deadline) {
  if (deadline == kForever) return wake.wait(lock);
  wake.wait_until(lock, std::chrono::steady_clock::time_point(deadline));
}

}  // namespace skiff
