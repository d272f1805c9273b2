// The way from the server's threads to the executor of a transport, for as long as there is one.
//
// Requests and watchers hold it and may outlive the transport, which cuts it when it goes. Any
// thread, also while locks of the cache are held.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "base/executor.h"

namespace skiff {

class ExecutorLink {
 public:
  using Elsewhere = std::function<void(Executor::Work)>;
  explicit ExecutorLink(Executor& executor, Elsewhere elsewhere)
      : executor_(&executor), elsewhere_(std::move(elsewhere)) {}

  // For the transport's own: dropped when it is gone.
  void Post(Executor::Work work) {
    const std::lock_guard lock(mutex_);
    if (executor_ != nullptr) executor_->Post(std::move(work));
  }
  // For work of the server, which must be done in any case.
  void PostWork(Executor::Work work) {
    {
      const std::lock_guard lock(mutex_);
      if (executor_ != nullptr) return executor_->Post(std::move(work));
    }
    elsewhere_(std::move(work));
  }
  bool cut() const {
    const std::lock_guard lock(mutex_);
    return executor_ == nullptr;
  }
  void Cut() {
    const std::lock_guard lock(mutex_);
    executor_ = nullptr;
  }

 private:
  mutable std::mutex mutex_;
  Executor* executor_;
  const Elsewhere elsewhere_;
};

}  // namespace skiff
