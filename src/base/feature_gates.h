// Which feature gates (base/feature_gate_table.h) are on, by what a process was given.
// --feature-gates takes their names, and AllAlpha and AllBeta, which stand for every gate of a
// stage.
#pragma once

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
// The same for one who asks by name later. What was given outlives it.
std::function<bool(std::string_view gate)> GatesOf(const GivenGates& given);
// Labels: name, stage.
extern const MetricSpec kFeatureEnabledSpec;
// kubernetes_feature_enabled: which are on, by what was given.
void AddFeatureMetrics(MetricsRegistry& registry, GivenGates given);

}  // namespace skiff
