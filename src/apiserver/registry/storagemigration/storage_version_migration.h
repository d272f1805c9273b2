// The rules of a StorageVersionMigration: what it migrates, and how it ends.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kStorageVersionMigrationRules;

}  // namespace skiff::apiserver
