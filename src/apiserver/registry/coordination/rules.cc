#include "apiserver/registry/coordination/rules.h"

namespace skiff {

std::span<const KindRules> CoordinationRules() {
  static const KindRules kRules[] = {
      kLeaseRules,
      kLeaseCandidateRules,
  };
  return kRules;
}

}  // namespace skiff
