#include "cli/common/shutdown_watchdog.h"

#include <unistd.h>

#include <utility>

#include "cli/common/command.h"
#include "object/scalar/duration.h"

namespace skiff::cli {
namespace {

// The last words must not take for ever either: what is stuck may hold the log.
constexpr unsigned kLastWordsSeconds = 5;

}  // namespace

ShutdownWatchdog::~ShutdownWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_disarmed_ = true;
    disarmed_.notify_all();
  }
  if (thread_ != nullptr) thread_->Join();
}

void ShutdownWatchdog::Arm(Duration time, std::function<std::string()> what_is_left) {
  what_is_left_ = std::move(what_is_left);
  thread_ = std::make_unique<Thread>("last-resort", [this, time] { Run(time); });
}

void ShutdownWatchdog::SetStage(std::string what_is_left) {
  const std::lock_guard lock(mutex_);
  what_is_left_ = [text = std::move(what_is_left)] { return text; };
}

void ShutdownWatchdog::Run(Duration time) {
  std::unique_lock lock(mutex_);
  const Duration deadline = clock_.Monotonic() + time;
  while (!is_disarmed_ && clock_.Monotonic() < deadline) {
    clock_.WaitUntil(disarmed_, lock, deadline);
  }
  if (is_disarmed_) return;
  alarm(kLastWordsSeconds);
  std::string after;
  object::AppendDuration(time.count(), after);
  log_.Error("it has not stopped in time, so the process ends",
             {{"after", after}, {"left", what_is_left_()}});
  _exit(kExitFailure);
}

}  // namespace skiff::cli
