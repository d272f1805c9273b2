// The feature gates of Kubernetes v1.36: their stages and defaults. --feature-gates takes these
// names, and AllAlpha and AllBeta, which stand for every gate of a stage.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace skiff {

class MetricsRegistry;
struct MetricSpec;

enum class FeatureStage : uint8_t { kAlpha, kBeta, kGa, kDeprecated };
// As kubernetes_feature_enabled has it: that of a stable feature is empty.
std::string_view FeatureStageName(FeatureStage stage);

struct FeatureGate {
  std::string_view name;
  FeatureStage stage;
  bool on;              // by default
  bool locked = false;  // cannot be set to anything else
};

inline constexpr std::string_view kAllAlphaGate = "AllAlpha";
inline constexpr std::string_view kAllBetaGate = "AllBeta";

// Sorted by name.
std::span<const FeatureGate> AllFeatureGates();
const FeatureGate* FindFeatureGate(std::string_view name);

using GivenGates = std::map<std::string, bool, std::less<>>;  // AllAlpha and AllBeta too
// What was given counts unless the gate is locked, then what was given for its stage, then the
// default. False for what is no gate.
bool IsFeatureOn(const GivenGates& given, std::string_view name);
// Labels: name, stage.
extern const MetricSpec kFeatureEnabledSpec;
// kubernetes_feature_enabled: which are on, by what was given.
void AddFeatureMetrics(MetricsRegistry& registry, GivenGates given);

}  // namespace skiff
