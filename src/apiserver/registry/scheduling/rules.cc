#include "apiserver/registry/scheduling/rules.h"

namespace skiff {

std::span<const KindRules> SchedulingRules() {
  static const KindRules kRules[] = {
      kPriorityClassRules,
      kWorkloadRules,
      kPodGroupRules,
  };
  return kRules;
}

}  // namespace skiff
