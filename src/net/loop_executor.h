// The executor over an event loop: what is posted to it and its timers run on the loop's thread.
//
// Destroying it, on the loop's thread or when that has ended, cancels its timers; what was posted
// still runs, unless the loop has stopped.
#pragma once

#include <map>
#include <memory>

#include "base/executor.h"
#include "net/event_loop.h"

namespace skiff::net {

class LoopExecutor final : public Executor {
 public:
  explicit LoopExecutor(std::shared_ptr<EventLoop> loop) : loop_(std::move(loop)) {}
  ~LoopExecutor() override;
  LoopExecutor(const LoopExecutor&) = delete;
  LoopExecutor& operator=(const LoopExecutor&) = delete;

  void Post(Work work) override { loop_->Post(std::move(work)); }
  TimerId After(Duration delay, Work work) override;
  void Cancel(TimerId timer) override;
  Clock& clock() override { return loop_->clock(); }

  EventLoop& loop() { return *loop_; }

 private:
  const std::shared_ptr<EventLoop> loop_;
  std::map<uint64_t, EventLoop::TimerId> timers_;
  uint64_t last_timer_ = 0;
};

}  // namespace skiff::net
