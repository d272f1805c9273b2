// What the data of a persistent volume is on, kind by kind.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// Where the data is, the driver and its parameters: nfs, csi and so on. At the spec; false when no
// kind of volume is given.
bool ValidateVolumeSource(const views::core_v1::PersistentVolumeSpec& spec,
                          std::string_view volume_name, FieldErrors& errors);
// Whether both are of one kind and say the same. A secret for growing it may be added.
bool SameVolumeSource(const views::core_v1::PersistentVolumeSpec& spec,
                      const views::core_v1::PersistentVolumeSpec& old);

}  // namespace skiff::apiserver
