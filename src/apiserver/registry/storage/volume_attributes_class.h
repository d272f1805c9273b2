// The rules of a VolumeAttributesClass.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kVolumeAttributesClassRules;

}  // namespace skiff
