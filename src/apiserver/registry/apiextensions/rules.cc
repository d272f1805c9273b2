#include "apiserver/registry/apiextensions/rules.h"

#include "apiserver/registry/apiextensions/custom_resource_definition.h"

namespace skiff {

std::span<const KindRules> ApiextensionsRules() {
  static const KindRules kRules[] = {
      kCustomResourceDefinitionRules,
  };
  return kRules;
}

}  // namespace skiff
