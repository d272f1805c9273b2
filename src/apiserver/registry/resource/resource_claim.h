// The rules of a ResourceClaim and of a ResourceClaimTemplate.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kResourceClaimRules;
extern const KindRules kResourceClaimTemplateRules;

}  // namespace skiff::apiserver
