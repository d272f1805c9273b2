// The rules of the core group.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kPodRules;
extern const KindRules kPodTemplateRules;
extern const KindRules kReplicationControllerRules;
extern const KindRules kServiceRules;
extern const KindRules kEndpointsRules;
extern const KindRules kNodeRules;
extern const KindRules kNamespaceRules;
extern const KindRules kPersistentVolumeRules;
extern const KindRules kPersistentVolumeClaimRules;
extern const KindRules kSecretRules;
extern const KindRules kConfigMapRules;
extern const KindRules kServiceAccountRules;
extern const KindRules kLimitRangeRules;
extern const KindRules kResourceQuotaRules;
extern const KindRules kEventRules;
extern const KindRules kNewEventRules;

std::span<const KindRules> CoreRules();

}  // namespace skiff
