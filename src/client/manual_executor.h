// An executor for tests: one thread, and time that passes when the test says so. What is posted and
// timers run in one order, always the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/executor.h"

namespace skiff::client {

class ManualExecutor final : public Executor {
 public:
  // Beyond so many steps at one moment something runs in circles, and the test ends.
  static constexpr size_t kMaxSteps = 10'000'000;

  ManualExecutor() = default;
  // The clock must outlive it, and nobody else move it back.
  explicit ManualExecutor(ManualClock& clock) : clock_(clock) {}
  ManualExecutor(const ManualExecutor&) = delete;
  ManualExecutor& operator=(const ManualExecutor&) = delete;

  void Post(Work work) override { posted_.push_back(std::move(work)); }
  TimerId After(Duration delay, Work work) override {
    const Duration at = clock_.Monotonic() + std::max(delay, Duration::zero());
    const uint64_t id = ++last_timer_;
    times_[id] = at;
    timers_.emplace(std::pair(at, id), std::move(work));
    return {id};
  }
  void Cancel(TimerId timer) override {
    const auto found = times_.find(timer.value);
    if (found == times_.end()) return;
    timers_.erase({found->second, found->first});
    times_.erase(found);
  }
  ManualClock& clock() override { return clock_; }

  // Runs what was posted, or a timer whose time has come. False: there is nothing to run now.
  bool RunOne() {
    Work work;
    if (!posted_.empty()) {
      work = std::move(posted_.front());
      posted_.pop_front();
    } else if (!timers_.empty() && timers_.begin()->first.first <= clock_.Monotonic()) {
      work = std::move(timers_.begin()->second);
      times_.erase(timers_.begin()->first.second);
      timers_.erase(timers_.begin());
    } else {
      return false;
    }
    work();
    return true;
  }
  // Until nothing is left to do at this moment.
  void RunUntilIdle() {
    for (size_t steps = 0; RunOne(); ++steps) {
      if (steps > kMaxSteps) std::abort();
    }
  }
  // Lets that much time pass, timer by timer.
  void Advance(Duration by) {
    const Duration end = clock_.Monotonic() + by;
    RunUntilIdle();
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      clock_.Advance(timers_.begin()->first.first - clock_.Monotonic());
      RunUntilIdle();
    }
    clock_.Advance(end - clock_.Monotonic());
  }
  // Lets time pass until `reached` holds, `at_most` so long; whether it does.
  bool AdvanceUntil(const std::function<bool()>& reached,
                    Duration at_most = std::chrono::hours(1)) {
    const Duration end = clock_.Monotonic() + at_most;
    for (;;) {
      RunUntilIdle();
      if (reached()) return true;
      if (timers_.empty() || timers_.begin()->first.first > end) return false;
      clock_.Advance(timers_.begin()->first.first - clock_.Monotonic());
    }
  }
  size_t timers() const { return timers_.size(); }

 private:
  ManualClock own_clock_;
  ManualClock& clock_ = own_clock_;
  std::deque<Work> posted_;
  std::map<std::pair<Duration, uint64_t>, Work> timers_;
  std::map<uint64_t, Duration> times_;
  uint64_t last_timer_ = 0;
};

}  // namespace skiff::client
