#include "grpc/call_deadlines.h"

#include <vector>

namespace skiff {

CallDeadlines::CallDeadlines(Clock& clock) : clock_(clock) {
  thread_.emplace("grpc-deadlines", [this] { Work(); });
}

CallDeadlines::~CallDeadlines() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.reset();
}

CallDeadlines::Key CallDeadlines::Add(Duration timeout, std::function<void()> expire) {
  const Duration now = clock_.Monotonic();
  const Duration at = timeout < Clock::kForever - now ? now + timeout : Clock::kForever;
  std::lock_guard lock(mutex_);
  const Key key{at, next_++};
  waiting_.emplace(key, std::move(expire));
  if (at < sleeps_until_) {
    sleeps_until_ = at;
    wake_.notify_one();
  }
  return key;
}

void CallDeadlines::Remove(const Key& key) {
  std::lock_guard lock(mutex_);
  waiting_.erase(key);
}

void CallDeadlines::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    std::vector<std::function<void()>> expired;
    const Duration now = clock_.Monotonic();
    while (!waiting_.empty() && waiting_.begin()->first.first <= now) {
      expired.push_back(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
    }
    if (!expired.empty()) {
      lock.unlock();
      for (const auto& expire : expired) expire();
      expired.clear();
      lock.lock();
      continue;
    }
    sleeps_until_ = waiting_.empty() ? Clock::kForever : waiting_.begin()->first.first;
    clock_.WaitUntil(wake_, lock, sleeps_until_);
  }
}

}  // namespace skiff
