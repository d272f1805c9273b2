#include "apiserver/registry/discovery/rules.h"

namespace skiff {

std::span<const KindRules> DiscoveryRules() {
  static const KindRules kRules[] = {
      kEndpointSliceRules,
  };
  return kRules;
}

}  // namespace skiff
