// A thread for what takes long and would hold up the loops: defragmenting, hashing, writing
// snapshots. One at a time, in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "base/thread.h"

namespace skiff::store {

class JobThread {
 public:
  JobThread();
  // Waits for the one that runs; drops the others.
  ~JobThread() { Stop(); }

  // False if too many wait.
  bool Submit(std::function<void()> job);
  void Stop();

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::optional<Thread> thread_;
};

}  // namespace skiff::store
