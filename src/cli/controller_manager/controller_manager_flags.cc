#include "cli/controller_manager/controller_manager_flags.h"

#include <algorithm>

#include "base/feature_gates.h"
#include "base/strings.h"
#include "cli/common/flag_values.h"
#include "cli/controller_manager/controller_manager_flag_table.h"

namespace skiff::cli {
namespace {

// Faults of a command line, each in a line of its own.
class Faults {
 public:
  void AddIf(bool wrong, std::string_view flag, std::string_view why) {
    if (!wrong) return;
    if (!text_.empty()) text_ += '\n';
    text_.append("--").append(flag).append(": ").append(why);
  }
  Result<void> Finish() && {
    if (text_.empty()) return {};
    return Fail(StatusReason::kInvalid, std::move(text_));
  }

 private:
  std::string text_;
};

void CheckElection(const ControllerManagerCommandLine& line, Faults& faults) {
  if (!line.leader_elect) return;
  faults.AddIf(line.renew_deadline >= line.lease_duration, "leader-elect-renew-deadline",
               "must be shorter than --leader-elect-lease-duration");
  faults.AddIf(line.renew_deadline <= line.retry_period * 12 / 10, "leader-elect-renew-deadline",
               "must be longer than 1.2 times --leader-elect-retry-period");
  faults.AddIf(line.retry_period <= Duration::zero(), "leader-elect-retry-period",
               "must be more than nothing");
  faults.AddIf(line.lease.name.empty(), "leader-elect-resource-name", "must be given");
  faults.AddIf(line.lease.name_space.empty(), "leader-elect-resource-namespace", "must be given");
}

void CheckLoops(const controllers::ControllerOptions& loops, Faults& faults) {
  constexpr std::string_view kAtLeastOne = "must be at least 1";
  faults.AddIf(loops.concurrent_namespace_syncs < 1, "concurrent-namespace-syncs", kAtLeastOne);
  faults.AddIf(loops.concurrent_gc_syncs < 1, "concurrent-gc-syncs", kAtLeastOne);
  faults.AddIf(loops.concurrent_service_account_token_syncs < 1,
               "concurrent-serviceaccount-token-syncs", kAtLeastOne);
  faults.AddIf(loops.concurrent_resource_quota_syncs < 1, "concurrent-resource-quota-syncs",
               kAtLeastOne);
  faults.AddIf(loops.concurrent_ttl_after_finished_syncs < 1, "concurrent-ttl-after-finished-syncs",
               kAtLeastOne);
  faults.AddIf(loops.legacy_token_clean_up_period <= Duration::zero(),
               "legacy-service-account-token-clean-up-period", "must be more than nothing");
}

void CheckFeatureGates(const ControllerManagerCommandLine& line, Faults& faults) {
  for (const auto& [name, on] : line.feature_gates) {
    if (name == kAllAlphaGate || name == kAllBetaGate) continue;
    const FeatureGate* const gate = FindFeatureGate(name);
    faults.AddIf(gate == nullptr, "feature-gates",
                 Quoted(name) + " is no feature of Kubernetes v1.36");
    faults.AddIf(gate != nullptr && gate->locked && gate->on != on, "feature-gates",
                 name + " cannot be changed");
  }
}

}  // namespace

std::vector<ControllerManagerFlag> AllControllerManagerFlags() {
  std::vector<ControllerManagerFlag> out;
  std::ranges::copy(ControllerManagerProcessFlags(), std::back_inserter(out));
  std::ranges::copy(ControllerManagerLoopFlags(), std::back_inserter(out));
  return out;
}

Result<void> ParseControllerManagerFlags(std::span<const std::string_view> words,
                                         ControllerManagerCommandLine& line) {
  return ServerFlagSet<ControllerManagerCommandLine>(AllControllerManagerFlags(), line)
      .Parse(words);
}

Result<void> Validate(const ControllerManagerCommandLine& line) {
  Faults faults;
  CheckElection(line, faults);
  CheckLoops(line.manager.loops, faults);
  CheckFeatureGates(line, faults);
  const net::TlsCertificateFiles& certificate = line.tls.certificate;
  faults.AddIf(certificate.certificate_file.empty() != certificate.key_file.empty(),
               "tls-cert-file", "and --tls-private-key-file are given together or not at all");
  faults.AddIf(line.kube_api_content_type != "application/vnd.kubernetes.protobuf" &&
                   line.kube_api_content_type != "application/json",
               "kube-api-content-type",
               "is neither application/vnd.kubernetes.protobuf nor application/json");
  return std::move(faults).Finish();
}

}  // namespace skiff::cli
