// Which feature gates (base/feature_gate_table.h) are on for one server, by what it was given.
// --feature-gates takes their names, and AllAlpha and AllBeta, which stand for every gate of a
// stage.
//
// Gates are a value that is handed down to whoever asks; a process has none of its own, so that two
// servers in it may differ.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/feature_gate_table.h"

namespace skiff {

class MetricsRegistry;
struct MetricSpec;

// As kubernetes_feature_enabled has it: that of a stable feature is empty.
std::string_view FeatureStageName(FeatureStage stage);

inline constexpr std::string_view kAllAlphaGate = "AllAlpha";
inline constexpr std::string_view kAllBetaGate = "AllBeta";

// Sorted by name.
std::span<const FeatureGate> AllFeatureGates();

using GivenGates = std::map<std::string, bool, std::less<>>;  // AllAlpha and AllBeta too
// What was given counts unless the gate is locked, then what was given for its stage, then the
// default. False for what is no gate.
bool IsFeatureOn(const GivenGates& given, std::string_view name);

// Immutable; asking is an array look-up.
class FeatureGates {
 public:
  // As Kubernetes v1.36 has them by default.
  constexpr FeatureGates() {
    for (size_t i = 0; i < feature_gates::kCount; ++i) on_[i] = feature_gates::kTable[i].on;
  }
  explicit FeatureGates(const GivenGates& given);

  constexpr bool IsOn(Gate gate) const { return on_[gate.index()]; }
  // Of a gate that the schema names. False for what is no gate.
  bool IsNamedOn(std::string_view name) const;

 private:
  std::array<bool, feature_gates::kCount> on_{};
};

// Labels: name, stage.
extern const MetricSpec kFeatureEnabledSpec;
// kubernetes_feature_enabled: which are on, by what was given.
void AddFeatureMetrics(MetricsRegistry& registry, GivenGates given);

}  // namespace skiff
