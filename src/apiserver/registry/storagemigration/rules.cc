#include "apiserver/registry/storagemigration/rules.h"

#include "apiserver/registry/storagemigration/storage_version_migration.h"

namespace skiff {

std::span<const KindRules> StoragemigrationRules() {
  static const KindRules kRules[] = {
      kStorageVersionMigrationRules,
  };
  return kRules;
}

}  // namespace skiff
