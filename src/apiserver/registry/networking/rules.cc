#include "apiserver/registry/networking/rules.h"

namespace skiff {

std::span<const KindRules> NetworkingRules() {
  static const KindRules kRules[] = {
      kIngressRules, kIngressClassRules, kNetworkPolicyRules, kIPAddressRules, kServiceCIDRRules,
  };
  return kRules;
}

}  // namespace skiff
