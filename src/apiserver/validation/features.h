// Feature gates that decide what the rules of kinds allow, and which fields exist for clients at
// all.
#pragma once

#include <functional>
#include <string_view>

#include "base/feature_gate_table.h"

namespace skiff {

// Until SetFeatures(), all are as Kubernetes v1.36 has them by default.
bool IsOn(Gate gate);
// Once, before anything is served.
void SetFeatures(const std::function<bool(std::string_view gate)>& is_gate_on);

// For tests: a feature is as they want it for as long as this lives.
class ScopedFeature {
 public:
  ScopedFeature(Gate gate, bool on);
  ScopedFeature(const ScopedFeature&) = delete;
  ScopedFeature& operator=(const ScopedFeature&) = delete;
  ~ScopedFeature();

 private:
  Gate gate_;
  bool before_;
};

}  // namespace skiff
