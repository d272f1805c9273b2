#include "apiserver/registry/policy/rules.h"

#include "apiserver/registry/policy/pod_disruption_budget.h"

namespace skiff {

std::span<const KindRules> PolicyRules() {
  static const KindRules kRules[] = {
      kPodDisruptionBudgetRules,
  };
  return kRules;
}

}  // namespace skiff
