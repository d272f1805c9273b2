// Notices event loops that do not turn: something keeps their thread, and whoever is served by it
// waits. A loop that waits for events is not stuck, however long it does.
//
// A thread of its own looks at the loops now and then. Of each occurrence it tells once, after
// limits::kStuckLoop: in the log, with the stack of the loop's thread, and in the metric
//
//   skiff_event_loop_stuck_total{loop="http-0"}
//
// When it is over, the log says for how long it was; meanwhile Fault() says which loops are stuck,
// without waiting for any of them, for /livez and its like.
//
// Owner: the process or server whose loops they are; outlives what watches with it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "net/event_loop.h"

namespace skiff::net {

class LoopWatchdog {
 public:
  // All of them outlive it. Without metrics nothing is counted.
  LoopWatchdog(Clock& clock, Log& log, MetricsRegistry* metrics);
  LoopWatchdog(const LoopWatchdog&) = delete;
  LoopWatchdog& operator=(const LoopWatchdog&) = delete;
  ~LoopWatchdog() { Stop(); }

  // Once. Without it nobody is told, unless by Check().
  void Start();
  // Harmless when called again.
  void Stop();

  // Any thread, as all that follows. The loop has been started; it is forgotten when it is gone.
  void Watch(const std::shared_ptr<EventLoop>& loop);
  // "http-0 has not turned for 3.2s", or "" when all is well.
  std::string Fault() const;
  // What the thread does: one look at each loop.
  void Check();

 private:
  struct Watched {
    std::weak_ptr<EventLoop> loop;
    Duration told_of{0};  // busy_since() of the occurrence that was told of; zero: none
    Duration last_stuck{0};
  };
  void Run();
  void CheckLoop(Watched& watched, Duration now);

  Clock& clock_;
  Log& log_;
  CounterFamily* const stuck_total_;
  std::mutex look_mutex_;  // one look at a time
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::vector<std::shared_ptr<Watched>> watched_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff::net
