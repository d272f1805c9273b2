// The rules of resource.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kResourceClaimRules;
extern const KindRules kResourceClaimTemplateRules;
extern const KindRules kDeviceClassRules;
extern const KindRules kResourceSliceRules;
extern const KindRules kDeviceTaintRuleRules;
extern const KindRules kResourcePoolStatusRequestRules;

std::span<const KindRules> ResourceRules();

}  // namespace skiff
