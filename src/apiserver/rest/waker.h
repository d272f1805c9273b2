// How the events of a watch reach the loop of its connection.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace skiff::apiserver {

// Wakes the stream from other threads, also when the stream has gone.
struct Waker {
  std::mutex mutex;
  std::function<void()> wake;  // null: not started yet, or gone

  void Wake() {
    std::lock_guard lock(mutex);
    if (wake) wake();
  }
  void Set(std::function<void()> how) {
    std::lock_guard lock(mutex);
    wake = std::move(how);
  }
};

}  // namespace skiff::apiserver
