// The rules of a ResourceQuota: what it counts, and in which scopes.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kResourceQuotaRules;

}  // namespace skiff::apiserver
