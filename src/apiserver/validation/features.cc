#include "apiserver/validation/features.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace skiff {
namespace {

class Features {
 public:
  Features() {
    for (size_t i = 0; i < on_.size(); ++i) on_[i] = feature_gates::kTable[i].on;
  }
  bool IsOn(size_t gate) const { return on_[gate].load(std::memory_order_relaxed); }
  void Set(size_t gate, bool on) { on_[gate].store(on, std::memory_order_relaxed); }

 private:
  std::array<std::atomic<bool>, feature_gates::kCount> on_;
};

Features& OfProcess() {
  static Features features;
  return features;
}

}  // namespace

bool IsOn(Gate gate) { return OfProcess().IsOn(gate.index()); }

void SetFeatures(const std::function<bool(std::string_view gate)>& is_gate_on) {
  for (size_t i = 0; i < feature_gates::kCount; ++i) {
    OfProcess().Set(i, is_gate_on(feature_gates::kTable[i].name));
  }
}

ScopedFeature::ScopedFeature(Gate gate, bool on) : gate_(gate), before_(IsOn(gate)) {
  OfProcess().Set(gate.index(), on);
}
ScopedFeature::~ScopedFeature() { OfProcess().Set(gate_.index(), before_); }

}  // namespace skiff
