#include "apiserver/registry/internal/rules.h"

#include "apiserver/registry/internal/storage_version.h"

namespace skiff {

std::span<const KindRules> InternalRules() {
  static const KindRules kRules[] = {
      kStorageVersionRules,
  };
  return kRules;
}

}  // namespace skiff
