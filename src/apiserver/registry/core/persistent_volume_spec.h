// What a persistent volume is made of, as an object and inline in the attachment of one.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

struct VolumeSpecOptions {
  std::string_view name = {};           // of the volume
  bool is_inline = false;               // no object of its own: a volume of a pod that is attached
  bool allow_invalid_affinity = false;  // values that no label can have
};

// At the spec.
void ValidateVolumeSpec(const views::core_v1::PersistentVolumeSpec& spec,
                        const VolumeSpecOptions& options, FieldErrors& errors);

}  // namespace skiff::apiserver
