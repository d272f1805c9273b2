#include "apiserver/registry/node/rules.h"

namespace skiff {

std::span<const KindRules> NodeRules() {
  static const KindRules kRules[] = {
      kRuntimeClassRules,
  };
  return kRules;
}

}  // namespace skiff
