#include "store/etcd/timers.h"

#include <utility>

namespace skiff {

Timers::Timers(std::string thread_name, Clock& clock) : clock_(clock) {
  thread_ = std::make_unique<Thread>(std::move(thread_name), [this] { Loop(); });
}

void Timers::After(Duration delay, std::move_only_function<void()> run) {
  {
    std::unique_lock lock(mutex_);
    if (!stopping_) {
      waiting_.emplace(clock_.Monotonic() + delay, std::move(run));
      wake_.notify_one();
      return;
    }
  }
  run();
}

void Timers::Stop() {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_->Join();
}

void Timers::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (waiting_.empty()) {
      if (stopping_) return;
      clock_.WaitUntil(wake_, lock, Clock::kForever);
      continue;
    }
    const auto first = waiting_.begin();
    if (!stopping_ && clock_.Monotonic() < first->first) {
      clock_.WaitUntil(wake_, lock, first->first);
      continue;
    }
    auto run = std::move(first->second);
    waiting_.erase(first);
    lock.unlock();
    run();
    run = nullptr;
    lock.lock();
  }
}

}  // namespace skiff
