// The rules of a PersistentVolumeClaim, and what of it may change.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPersistentVolumeClaimRules;

}  // namespace skiff::apiserver
