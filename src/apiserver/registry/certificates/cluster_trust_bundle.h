// The rules of a ClusterTrustBundle: certificates of authorities.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kClusterTrustBundleRules;

}  // namespace skiff::apiserver
