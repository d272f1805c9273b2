// Ends calls whose clients have set them a time (gRPC's header grpc-timeout).
//
// One thread waits for the earliest deadline. A call that is answered in time leaves without waking
// it, so that the many that are cost a place in a map and nothing else.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/thread.h"

namespace skiff {

// Any thread.
class CallDeadlines {
 public:
  using Key = std::pair<Duration, uint64_t>;

  explicit CallDeadlines(Clock& clock);
  CallDeadlines(const CallDeadlines&) = delete;
  CallDeadlines& operator=(const CallDeadlines&) = delete;
  // Forgets those that still wait.
  ~CallDeadlines();

  // Calls `expire`, which must be quick, when that much time has passed.
  Key Add(Duration timeout, std::function<void()> expire);
  // Not called any more, unless it is being called.
  void Remove(const Key& key);

 private:
  void Work();

  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Key, std::function<void()>> waiting_;
  Duration sleeps_until_ = Clock::kForever;
  uint64_t next_ = 0;
  bool stopping_ = false;
  std::optional<Thread> thread_;
};

}  // namespace skiff
