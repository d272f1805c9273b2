// Functions that run later, on one thread, by a clock that is handed in: for back-off, deadlines
// and periodic checks.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/thread.h"

namespace skiff {

// Thread-safe. Functions must be quick. Stop() before destruction.
class Timers {
 public:
  Timers(std::string thread_name, Clock& clock);
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  ~Timers() { Stop(); }

  // After Stop() the function runs at once, on the caller's thread: nothing that waits is
  // forgotten.
  void After(Duration delay, std::move_only_function<void()> run);
  // Runs what still waits, in order, and ends the thread. Must not be called from a function.
  void Stop();

 private:
  void Loop();

  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::multimap<Duration, std::move_only_function<void()>> waiting_;
  bool stopping_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff
