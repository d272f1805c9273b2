#include "apiserver/registry/coordination/coordination_rules.h"

namespace skiff {

std::span<const KindRules> CoordinationRules() {
  static const KindRules kRules[] = {
      kLeaseRules,
      kLeaseCandidateRules,
  };
  return kRules;
}

}  // namespace skiff
