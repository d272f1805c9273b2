#include "apiserver/registry/resource/rules.h"

namespace skiff {

std::span<const KindRules> ResourceRules() {
  static const KindRules kRules[] = {
      kResourceClaimRules, kResourceClaimTemplateRules, kDeviceClassRules,
      kResourceSliceRules, kDeviceTaintRuleRules,       kResourcePoolStatusRequestRules,
  };
  return kRules;
}

}  // namespace skiff
