// Functions that run later, on one thread, by a clock that is handed in: for back-off, deadlines
// and periodic checks.
//
// The thread waits for the earliest of them. One that is cancelled in time leaves without waking
// it, so that deadlines which are kept cost a place in a map and nothing else.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/thread.h"

namespace skiff {

// Thread-safe. Functions must be quick.
class Timers {
 public:
  using Key = std::pair<Duration, uint64_t>;
  // What becomes of functions that still wait at Stop(), and of those that come later.
  enum class AtStop : uint8_t { kRun, kForget };

  Timers(std::string thread_name, Clock& clock, AtStop at_stop);
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  ~Timers() { Stop(); }

  // After Stop() a function that is not forgotten runs at once, on the caller's thread.
  Key After(Duration delay, std::move_only_function<void()> run);
  // Not called any more, unless it is being called.
  void Cancel(const Key& key);
  // Runs what still waits, in order, or forgets it, and ends the thread. Must not be called from a
  // function.
  void Stop();

 private:
  void Loop();

  Clock& clock_;
  const AtStop at_stop_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Key, std::move_only_function<void()>> waiting_;
  Duration sleeps_until_ = Clock::kForever;
  uint64_t next_ = 0;
  bool stopping_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff
