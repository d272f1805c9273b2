// A clock for tests of work that is divided by time: it passes only while somebody looks at it. Any
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/clock.h"

namespace skiff::apiserver {

class SteppingClock final : public Clock {
 public:
  Duration Monotonic() override { return Duration(now_.fetch_add(step_.load()) + step_.load()); }
  Duration Wall() override { return std::chrono::seconds(1'700'000'000); }
  void WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                 Duration deadline) override {
    static_cast<void>(deadline);
    wake.wait(lock);
  }
  // What each look adds; zero, as in the beginning: time stands still.
  void SetStep(Duration step) { step_ = step.count(); }

 private:
  std::atomic<int64_t> now_{0};
  std::atomic<int64_t> step_{0};
};

}  // namespace skiff::apiserver
