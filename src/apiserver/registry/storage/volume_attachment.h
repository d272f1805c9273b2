// The rules of a VolumeAttachment: which volume, on which node.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kVolumeAttachmentRules;

}  // namespace skiff::apiserver
