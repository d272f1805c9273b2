// The watchdog of a shutdown, which ends a server that was asked to end and does not: a loop is
// stuck, a request never ends, a disk does not answer. When its time is over the process says what
// has not ended, and ends all the same, with kExitFailure. It is armed before anything is said: a
// log that nobody reads is one more thing that does not go on (then a signal ends the process).
//
//   ShutdownWatchdog watchdog(clock, log);     // before the server, so that it outlives that
//   …
//   watchdog.Arm(server->DrainTime() + limits::kShutdownMargin,
//                [&] { return server->UnderWay(); });
//   server->Drain();
//   watchdog.SetStage("the server is being closed");
//
// Belongs to the thread that stops the server.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

namespace skiff::cli {

class ShutdownWatchdog {
 public:
  // Both outlive it.
  ShutdownWatchdog(Clock& clock, Log& log) : clock_(clock), log_(log) {}
  ShutdownWatchdog(const ShutdownWatchdog&) = delete;
  ShutdownWatchdog& operator=(const ShutdownWatchdog&) = delete;
  // All has ended in time.
  ~ShutdownWatchdog();

  // Once. `what_is_left` is called on another thread, if at all, and must not wait for what may be
  // stuck.
  void Arm(Duration time, std::function<std::string()> what_is_left);
  // What it was armed with is not asked any more; this is what goes on.
  void SetStage(std::string what_is_left);

 private:
  void Run(Duration time);

  Clock& clock_;
  Log& log_;
  std::mutex mutex_;
  std::condition_variable disarmed_;
  bool is_disarmed_ = false;
  std::function<std::string()> what_is_left_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff::cli
