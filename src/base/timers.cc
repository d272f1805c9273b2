#include "base/timers.h"

namespace skiff {

Timers::Timers(std::string thread_name, Clock& clock, AtStop at_stop)
    : clock_(clock), at_stop_(at_stop) {
  thread_ = std::make_unique<Thread>(std::move(thread_name), [this] { Loop(); });
}

Timers::Key Timers::After(Duration delay, std::move_only_function<void()> run) {
  const Duration now = clock_.Monotonic();
  const Duration at = delay < Clock::kForever - now ? now + delay : Clock::kForever;
  Key key;
  {
    const std::lock_guard lock(mutex_);
    key = {at, next_++};
    if (!stopping_) {
      waiting_.emplace(key, std::move(run));
      if (at < sleeps_until_) {
        sleeps_until_ = at;
        wake_.notify_one();
      }
      return key;
    }
  }
  if (at_stop_ == AtStop::kRun) run();
  return key;
}

void Timers::Cancel(const Key& key) {
  std::move_only_function<void()> cancelled;  // ends without the lock
  const std::lock_guard lock(mutex_);
  if (const auto found = waiting_.find(key); found != waiting_.end()) {
    cancelled = std::move(found->second);
    waiting_.erase(found);
  }
}

void Timers::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_->Join();
}

void Timers::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (stopping_ && (waiting_.empty() || at_stop_ == AtStop::kForget)) return;
    const Duration first = waiting_.empty() ? Clock::kForever : waiting_.begin()->first.first;
    if (!stopping_ && clock_.Monotonic() < first) {
      sleeps_until_ = first;
      clock_.WaitUntil(wake_, lock, first);
      continue;
    }
    auto run = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    // Whoever adds something meanwhile need not wake the thread, which looks again.
    sleeps_until_ = Duration::min();
    lock.unlock();
    run();
    run = nullptr;
    lock.lock();
  }
}

}  // namespace skiff
