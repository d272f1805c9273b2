#include "net/loop_executor.h"

#include <algorithm>

namespace skiff::net {

LoopExecutor::~LoopExecutor() {
  for (const auto& [id, timer] : timers_) loop_->CancelTimer(timer);
}

Executor::TimerId LoopExecutor::After(Duration delay, Work work) {
  const uint64_t id = ++last_timer_;
  // The time itself and not that of the turn: a long turn must not shorten the delay.
  const Duration at = clock().Monotonic() + std::max(delay, Duration::zero());
  timers_[id] = loop_->AddTimer(at, [this, id, work = std::move(work)]() mutable {
    timers_.erase(id);
    work();
  });
  return {id};
}

void LoopExecutor::Cancel(TimerId timer) {
  const auto found = timers_.find(timer.value);
  if (found == timers_.end()) return;
  loop_->CancelTimer(found->second);
  timers_.erase(found);
}

}  // namespace skiff::net
