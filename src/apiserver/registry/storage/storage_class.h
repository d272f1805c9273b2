// The rules of a StorageClass: who makes its volumes, and how.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kStorageClassRules;

}  // namespace skiff
