#include "apiserver/registry/storage/rules.h"

namespace skiff {

std::span<const KindRules> StorageRules() {
  static const KindRules kRules[] = {
      kStorageClassRules, kVolumeAttributesClassRules, kVolumeAttachmentRules, kCSINodeRules,
      kCSIDriverRules,    kCSIStorageCapacityRules,
  };
  return kRules;
}

}  // namespace skiff
