// The rules of a PersistentVolume, and what of it may change.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPersistentVolumeRules;

}  // namespace skiff::apiserver
