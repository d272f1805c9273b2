// Ctrl-C and its like, as something that a server can wait for: the first asks for an end in order,
// the second ends the process at once.
#pragma once

#include <csignal>
#include <optional>

#include "base/clock.h"

namespace skiff::cli {

// Made before anything that starts threads, so that none of them receives the signals: SIGINT,
// SIGTERM, and SIGHUP unless that is ignored already. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // The signal that came within that time; nothing when none did.
  std::optional<int> WaitFor(Duration time);
  // From now on each of them ends the process as if nobody had waited for it.
  void RestoreDefaultActions();

 private:
  sigset_t handled_;
  sigset_t before_;
  bool let_ = false;
};

}  // namespace skiff::cli
