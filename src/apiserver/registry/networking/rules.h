// The rules of networking.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kIngressRules;
extern const KindRules kIngressClassRules;
extern const KindRules kNetworkPolicyRules;
extern const KindRules kIPAddressRules;
extern const KindRules kServiceCIDRRules;

std::span<const KindRules> NetworkingRules();

}  // namespace skiff
