// Moments at which something that waits is to be woken: the ends of watches.
//
// One thread sleeps until the next of them. Owner: the server.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/thread.h"

namespace skiff::apiserver {

class Deadlines {
 public:
  explicit Deadlines(Clock& clock);
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;
  ~Deadlines();

  using Key = std::pair<Duration, uint64_t>;
  // `wake` is called when the time has come, or at once when everything is ending: under no lock,
  // so that it may call back here. It must be quick.
  Key Add(Duration at, std::function<void()> wake);
  // After it, `wake` is not called any more; a call that has begun goes on, and is not waited for.
  void Remove(const Key& key);
  // Whether the moment has come, or all of them have.
  bool Reached(const Key& key) const;

  // All of them have come, and those still to be added.
  void EndAll();

 private:
  void Run();

  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::function<void()>> waiting_;
  uint64_t next_ = 0;
  bool ended_ = false;
  bool stopping_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff::apiserver
