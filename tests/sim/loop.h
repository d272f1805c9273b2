// The executors of simulated processes. Their work is done by the first thread of the simulation,
// in order of time.
//
// A process that is killed loses its executor: what was posted to it is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/executor.h"
#include "tests/sim/scheduler.h"

namespace skiff::sim {

class SimExecutor;

class SimLoop {
 public:
  explicit SimLoop(Scheduler& scheduler) : scheduler_(scheduler) {}
  SimLoop(const SimLoop&) = delete;
  SimLoop& operator=(const SimLoop&) = delete;

  // On the first thread. Works until the condition holds or the time has come, then false.
  bool RunUntil(const std::function<bool()>& condition, Duration deadline);
  bool RunFor(Duration time, const std::function<bool()>& condition);
  void RunFor(Duration time) {
    RunFor(time, [] { return false; });
  }
  Duration now() const { return scheduler_.now(); }
  Scheduler& scheduler() { return scheduler_; }
  uint64_t done() const { return done_; }

 private:
  friend class SimExecutor;
  struct Item {
    uint64_t executor;
    Executor::Work work;
  };
  using Key = std::pair<Duration, uint64_t>;
  Key Add(Duration at, uint64_t executor, Executor::Work work);
  void Forget(uint64_t executor);

  Scheduler& scheduler_;
  std::map<Key, Item> items_;
  uint64_t next_item_ = 1;
  uint64_t next_executor_ = 1;
  uint64_t done_ = 0;
};

class SimExecutor final : public Executor {
 public:
  SimExecutor(SimLoop& loop, Clock& clock)
      : loop_(loop), clock_(clock), number_(loop.next_executor_++) {}
  ~SimExecutor() override { loop_.Forget(number_); }

  void Post(Work work) override;
  TimerId After(Duration delay, Work work) override;
  void Cancel(TimerId timer) override;
  Clock& clock() override { return clock_; }

 private:
  SimLoop& loop_;
  Clock& clock_;
  const uint64_t number_;
  std::map<uint64_t, SimLoop::Key> timers_;
};

}  // namespace skiff::sim
