#include "cli/common/stop_signals.h"

#include <chrono>

namespace skiff::cli {

StopSignals::StopSignals() {
  sigemptyset(&handled_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    // nohup means it: what is ignored stays so. Ctrl-C is asked for even in the background.
    sigaction(number, nullptr, &now);
    if (number == SIGHUP && now.sa_handler == SIG_IGN) continue;
    signal(number, SIG_DFL);
    sigaddset(&handled_, number);
  }
  pthread_sigmask(SIG_BLOCK, &handled_, &before_);
}

StopSignals::~StopSignals() {
  if (!let_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> StopSignals::WaitFor(Duration time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = (time - seconds).count();
  const int number = sigtimedwait(&handled_, nullptr, &timeout);
  if (number <= 0) return std::nullopt;
  return number;
}

void StopSignals::RestoreDefaultActions() {
  let_ = true;
  pthread_sigmask(SIG_UNBLOCK, &handled_, nullptr);
}

}  // namespace skiff::cli
