#include "tests/sim/loop.h"

#include <algorithm>

namespace skiff::sim {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(100);

}  // namespace

SimLoop::Key SimLoop::Add(Duration at, uint64_t executor, Executor::Work work) {
  const Key key{at, next_item_++};
  items_.emplace(key, Item{executor, std::move(work)});
  scheduler_.WakeAll(this);
  return key;
}

// What is dropped may hold the last reference to what posts something, so it goes one by one.
void SimLoop::Forget(uint64_t executor) {
  for (;;) {
    const auto at = std::ranges::find_if(
        items_, [&](const auto& entry) { return entry.second.executor == executor; });
    if (at == items_.end()) return;
    const auto dropped = items_.extract(at);
  }
}

bool SimLoop::RunUntil(const std::function<bool()>& condition, Duration deadline) {
  for (;;) {
    if (condition()) return true;
    if (!items_.empty() && items_.begin()->first.first <= scheduler_.now()) {
      auto item = items_.extract(items_.begin());
      ++done_;
      scheduler_.Note(item.key().second ^ (item.mapped().executor << 48));
      item.mapped().work();
      scheduler_.MayYield();
      continue;
    }
    if (scheduler_.now() >= deadline) return false;
    // What the condition asks about may change without work here.
    const Duration look = scheduler_.now() + kLookAgain;
    const Duration next = items_.empty() ? look : std::min(look, items_.begin()->first.first);
    scheduler_.Block(this, std::min(next, deadline));
  }
}

bool SimLoop::RunFor(Duration time, const std::function<bool()>& condition) {
  return RunUntil(condition, scheduler_.now() + time);
}

void SimExecutor::Post(Work work) { loop_.Add(loop_.now(), number_, std::move(work)); }

Executor::TimerId SimExecutor::After(Duration delay, Work work) {
  const Duration at = loop_.now() + std::max(delay, Duration::zero());
  const uint64_t id = loop_.next_item_;
  timers_[id] = loop_.Add(at, number_, [this, id, work = std::move(work)]() mutable {
    timers_.erase(id);
    work();
  });
  return {id};
}

void SimExecutor::Cancel(TimerId timer) {
  const auto at = timers_.find(timer.value);
  if (at == timers_.end()) return;
  const auto dropped = loop_.items_.extract(at->second);
  timers_.erase(at);
}

}  // namespace skiff::sim
