// The rules of a VolumeAttributesClass.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kVolumeAttributesClassRules;

}  // namespace skiff::apiserver
