// The rules of storage.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kStorageClassRules;
extern const KindRules kVolumeAttributesClassRules;
extern const KindRules kVolumeAttachmentRules;
extern const KindRules kCSINodeRules;
extern const KindRules kCSIDriverRules;
extern const KindRules kCSIStorageCapacityRules;

std::span<const KindRules> StorageRules();

}  // namespace skiff
