// The rules of a StorageClass: who makes its volumes, and how.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kStorageClassRules;

}  // namespace skiff::apiserver
