// Whether control loops and the election of their leader are well, as another thread may ask.
//
// The thread of the loops reports now and then how things stand. Whoever asks is told what was
// reported last, or that nothing has been reported for long: then that thread hangs, and nothing of
// what it runs is well, whatever it said before.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "serving/health.h"

namespace skiff::cli {

// How things stand at one moment.
struct ControllerReport {
  std::map<std::string, std::string> faults = {};  // as ControllerManager::Faults() has them
  // When the lease was last renewed; nothing: somebody else leads, or nobody.
  std::optional<Duration> lease_renewed = {};
  bool lease_lost = false;
};

class ControllerHealth {
 public:
  static constexpr Duration kReportInterval = std::chrono::seconds(1);
  // A thread that is silent for longer hangs.
  static constexpr Duration kMaxSilence = std::chrono::seconds(30);
  // Who still leads so long after the end of its lease is not well, as Kubernetes has it.
  static constexpr Duration kMaxExpired = std::chrono::seconds(20);

  // The clock outlives it.
  ControllerHealth(Clock& clock, std::string lease, Duration lease_duration);

  void Report(ControllerReport report);

  // Any thread. What is wrong; empty: nothing.
  std::string ControllerFault(const std::string& loop) const;
  std::string LeaseFault() const;
  // One for each loop that was last reported, and with `election` one for the lease, first. This
  // outlives the checks.
  std::vector<serving::HealthCheck> Checks(bool election) const;

 private:
  std::string Silence(Duration now) const;

  Clock& clock_;
  const std::string lease_;
  const Duration lease_duration_;
  mutable std::mutex mutex_;  // guards what follows
  ControllerReport last_;
  Duration reported_;
};

}  // namespace skiff::cli
