#include "apiserver/rest/key_locks.h"

#include <utility>

namespace skiff::apiserver {

void KeyLocks::Lock(const std::string& key, std::move_only_function<void(bool locked)> go) {
  bool locked = false;
  {
    std::lock_guard lock(mutex_);
    if (!stopped_) {
      const auto [at, is_free] = waiting_.try_emplace(key);
      if (!is_free) {
        at->second.push_back(std::move(go));
        return;
      }
      locked = true;
    }
  }
  go(locked);
}

void KeyLocks::Unlock(const std::string& key) {
  std::move_only_function<void(bool)> next;
  {
    std::lock_guard lock(mutex_);
    const auto at = waiting_.find(key);
    if (at == waiting_.end()) return;  // stopped
    if (at->second.empty()) {
      waiting_.erase(at);
      return;
    }
    next = std::move(at->second.front());
    at->second.pop_front();
  }
  next(true);
}

void KeyLocks::Stop() {
  std::map<std::string, Waiters> waiting;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    waiting.swap(waiting_);
  }
  for (auto& [key, waiters] : waiting) {
    for (auto& each : waiters) each(false);
  }
}

}  // namespace skiff::apiserver
