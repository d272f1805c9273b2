#include "base/feature_gates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/metrics.h"

namespace skiff {
namespace {

constexpr std::array<std::string_view, 2> kFeature{"name", "stage"};

}  // namespace

constexpr MetricSpec kFeatureEnabledSpec{
    .name = "kubernetes_feature_enabled",
    .help = "[BETA] 1 for each feature that is on, 0 for those that are off.",
    .labels = kFeature};

std::string_view FeatureStageName(FeatureStage stage) {
  using enum FeatureStage;
  switch (stage) {
    case kAlpha:
      return "ALPHA";
    case kBeta:
      return "BETA";
    case kGa:
      return "";
    case kDeprecated:
      return "DEPRECATED";
  }
  return "";
}

std::span<const FeatureGate> AllFeatureGates() { return feature_gates::kTable; }

bool IsFeatureOn(const GivenGates& given, std::string_view name) {
  const FeatureGate* const gate = FindFeatureGate(name);
  if (gate == nullptr) return false;
  if (gate->locked) return gate->on;
  if (const auto found = given.find(name); found != given.end()) return found->second;
  if (gate->stage == FeatureStage::kAlpha || gate->stage == FeatureStage::kBeta) {
    const auto all = given.find(gate->stage == FeatureStage::kAlpha ? kAllAlphaGate : kAllBetaGate);
    if (all != given.end()) return all->second;
  }
  return gate->on;
}

FeatureGates::FeatureGates(const GivenGates& given) {
  for (size_t i = 0; i < feature_gates::kCount; ++i) {
    on_[i] = IsFeatureOn(given, feature_gates::kTable[i].name);
  }
}

bool FeatureGates::IsNamedOn(std::string_view name) const {
  const FeatureGate* const gate = FindFeatureGate(name);
  return gate != nullptr && on_[static_cast<size_t>(gate - feature_gates::kTable)];
}

void AddFeatureMetrics(MetricsRegistry& registry, GivenGates given) {
  registry.AddCollected(
      kFeatureEnabledSpec, MetricKind::kGauge,
      [given = std::move(given)](const MetricsRegistry::Emit& emit) {
        for (const auto& [name, stage] : {std::pair(kAllAlphaGate, FeatureStage::kAlpha),
                                          std::pair(kAllBetaGate, FeatureStage::kBeta)}) {
          const auto found = given.find(name);
          emit({name, FeatureStageName(stage)}, found != given.end() && found->second ? 1 : 0);
        }
        for (const FeatureGate& gate : AllFeatureGates()) {
          emit({gate.name, FeatureStageName(gate.stage)}, IsFeatureOn(given, gate.name) ? 1 : 0);
        }
      });
}

}  // namespace skiff
