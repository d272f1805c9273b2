#include "apiserver/rest/deadlines.h"

#include <utility>

namespace skiff::apiserver {

Deadlines::Deadlines(Clock& clock) : clock_(clock) {
  thread_ = std::make_unique<Thread>("deadlines", [this] { Run(); });
}

Deadlines::~Deadlines() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_->Join();
}

Deadlines::Key Deadlines::Add(Duration at, std::function<void()> wake) {
  std::lock_guard lock(mutex_);
  const Key key{at, next_++};
  const bool first = waiting_.empty() || key < waiting_.begin()->first;
  waiting_.emplace(key, std::move(wake));
  if (first || ended_) changed_.notify_all();
  return key;
}

void Deadlines::Remove(const Key& key) {
  std::lock_guard lock(mutex_);
  waiting_.erase(key);
}

bool Deadlines::Reached(const Key& key) const {
  std::lock_guard lock(mutex_);
  return ended_ || clock_.Monotonic() >= key.first;
}

void Deadlines::EndAll() {
  std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Deadlines::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!waiting_.empty() && (ended_ || waiting_.begin()->first.first <= clock_.Monotonic())) {
      // What is called may end what waits here, or wait for who is about to call here.
      std::function<void()> wake = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      wake();
      wake = nullptr;
      lock.lock();
      continue;
    }
    clock_.WaitUntil(changed_, lock,
                     waiting_.empty() ? Clock::kForever : waiting_.begin()->first.first);
  }
}

}  // namespace skiff::apiserver
