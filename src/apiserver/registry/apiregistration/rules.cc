#include "apiserver/registry/apiregistration/rules.h"

#include "apiserver/registry/apiregistration/api_service.h"

namespace skiff {

std::span<const KindRules> ApiregistrationRules() {
  static const KindRules kRules[] = {
      kAPIServiceRules,
  };
  return kRules;
}

}  // namespace skiff
