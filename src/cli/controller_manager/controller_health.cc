#include "cli/controller_manager/controller_health.h"

#include <utility>

namespace skiff::cli {

ControllerHealth::ControllerHealth(Clock& clock, std::string lease, Duration lease_duration)
    : clock_(clock),
      lease_(std::move(lease)),
      lease_duration_(lease_duration),
      reported_(clock.Monotonic()) {}

void ControllerHealth::Report(ControllerReport report) {
  const std::lock_guard lock(mutex_);
  last_ = std::move(report);
  reported_ = clock_.Monotonic();
}

std::string ControllerHealth::Silence(Duration now) const {
  const Duration silent = now - reported_;
  if (silent <= kMaxSilence) return {};
  return "the control loops have not been heard of for " +
         std::to_string(std::chrono::floor<std::chrono::seconds>(silent).count()) + " s";
}

std::string ControllerHealth::ControllerFault(const std::string& loop) const {
  const std::lock_guard lock(mutex_);
  if (std::string silence = Silence(clock_.Monotonic()); !silence.empty()) return silence;
  const auto found = last_.faults.find(loop);
  return found == last_.faults.end() ? "the loop does not run" : found->second;
}

std::string ControllerHealth::LeaseFault() const {
  const std::lock_guard lock(mutex_);
  if (last_.lease_lost) return "the lease " + lease_ + " was lost";
  const Duration now = clock_.Monotonic();
  if (last_.lease_renewed && now - *last_.lease_renewed > lease_duration_ + kMaxExpired) {
    return "failed election to renew leadership on lease " + lease_;
  }
  return Silence(now);
}

std::vector<serving::HealthCheck> ControllerHealth::Checks(bool election) const {
  std::vector<serving::HealthCheck> checks;
  if (election)
    checks.push_back({.name = "leaderElection", .check = [this] { return LeaseFault(); }});
  const std::lock_guard lock(mutex_);
  for (const auto& [name, fault] : last_.faults) {
    checks.push_back({.name = name, .check = [this, name] { return ControllerFault(name); }});
  }
  return checks;
}

}  // namespace skiff::cli
