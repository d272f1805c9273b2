#include "apiserver/registry/core/core_rules.h"

namespace skiff {

std::span<const KindRules> CoreRules() {
  static const KindRules kRules[] = {
      kPodRules,
      kPodTemplateRules,
      kReplicationControllerRules,
  };
  return kRules;
}

}  // namespace skiff
