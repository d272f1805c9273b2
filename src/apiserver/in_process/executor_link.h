// The way from the server's threads to the executor of a transport, for as long as there is one.
//
// Requests and watchers hold it and may outlive the transport, which cuts it when it goes. Any
// thread, also while locks of the cache are held.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include "base/executor.h"

namespace skiff::apiserver {

class ExecutorLink {
 public:
  using Fallback = std::function<void(Executor::Work)>;
  explicit ExecutorLink(Executor& executor, Fallback fallback)
      : executor_(&executor), fallback_(std::move(fallback)) {}

  // For the transport's own: dropped when it is gone.
  void Post(Executor::Work work) {
    if (Executor* executor = Begin()) {
      executor->Post(std::move(work));
      End();
    }
  }
  // For work of the server, which must be done in any case.
  void PostWork(Executor::Work work) {
    if (Executor* executor = Begin()) {
      executor->Post(std::move(work));
      return End();
    }
    fallback_(std::move(work));
  }
  bool cut() const {
    const std::lock_guard lock(mutex_);
    return executor_ == nullptr;
  }
  // Afterwards nobody is about to post any more.
  void Cut() {
    std::unique_lock lock(mutex_);
    executor_ = nullptr;
    idle_.wait(lock, [this] { return posting_ == 0; });
  }

 private:
  // Work is posted without a lock: an executor that has stopped destroys it, and whatever that ends
  // may come here again.
  Executor* Begin() {
    const std::lock_guard lock(mutex_);
    if (executor_ != nullptr) ++posting_;
    return executor_;
  }
  void End() {
    const std::lock_guard lock(mutex_);
    if (--posting_ == 0) idle_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  Executor* executor_;
  int posting_ = 0;
  const Fallback fallback_;
};

}  // namespace skiff::apiserver
