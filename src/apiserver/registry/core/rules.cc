#include "apiserver/registry/core/rules.h"

namespace skiff {

std::span<const KindRules> CoreRules() {
  static const KindRules kRules[] = {
      kPodRules,
      kPodTemplateRules,
      kReplicationControllerRules,
      kServiceRules,    kEndpointsRules,        kNodeRules,
      kNamespaceRules,  kPersistentVolumeRules, kPersistentVolumeClaimRules,
      kSecretRules,     kConfigMapRules,        kServiceAccountRules,
      kLimitRangeRules, kResourceQuotaRules,    kEventRules,
      kNewEventRules,
  };
  return kRules;
}

}  // namespace skiff
