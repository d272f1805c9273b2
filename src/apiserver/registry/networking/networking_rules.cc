#include "apiserver/registry/networking/networking_rules.h"

namespace skiff {

std::span<const KindRules> NetworkingRules() {
  static const KindRules kRules[] = {
      kIngressRules, kIngressClassRules, kNetworkPolicyRules, kIPAddressRules, kServiceCIDRRules,
  };
  return kRules;
}

}  // namespace skiff
