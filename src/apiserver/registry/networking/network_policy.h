// The rules of a NetworkPolicy: its peers and ports.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kNetworkPolicyRules;

}  // namespace skiff::apiserver
