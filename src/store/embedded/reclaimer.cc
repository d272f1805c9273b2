#include "store/embedded/reclaimer.h"

namespace skiff::store {

void Reclaimer::Start() {
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  wanted_ = true;
  if (!thread_) thread_.emplace("store-reclaim", [this] { Work(); });
  wake_.notify_one();
}

bool Reclaimer::at_work() {
  std::lock_guard lock(mutex_);
  return wanted_;
}

void Reclaimer::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.reset();
}

void Reclaimer::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return wanted_ || stopping_; });
    if (stopping_) return;
    lock.unlock();
    {
      const Result<EngineGate::Reader> engine = gate_->Enter();
      const uint64_t dead = state_->dead_bytes.exchange(0);
      // Whoever writes next learns what an error was about.
      if (!engine || !(*engine)->Reclaim(stopping_)) state_->dead_bytes.fetch_add(dead);
    }
    lock.lock();
    wanted_ = false;
  }
}

}  // namespace skiff::store
