#include "apiserver/rest/key_locks.h"

#include <utility>

namespace skiff::apiserver {

void KeyLocks::Lock(const std::string& key, std::move_only_function<void()> go) {
  {
    std::lock_guard lock(mutex_);
    const auto [at, is_free] = waiting_.try_emplace(key);
    if (!is_free) {
      at->second.push_back(std::move(go));
      return;
    }
  }
  go();
}

void KeyLocks::Unlock(const std::string& key) {
  std::move_only_function<void()> next;
  {
    std::lock_guard lock(mutex_);
    const auto at = waiting_.find(key);
    if (at->second.empty()) {
      waiting_.erase(at);
      return;
    }
    next = std::move(at->second.front());
    at->second.pop_front();
  }
  next();
}

}  // namespace skiff::apiserver
