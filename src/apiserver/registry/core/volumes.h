// Volumes of pods, of every kind.
#pragma once

#include <string_view>

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/registry/core/volume_mounts.h"
#include "apiserver/validation/field_errors.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// volumes of the spec where `errors` is. `pod_name` is empty when it is not known yet, as in a
// template. The volumes without a fault are added to `valid`.
void ValidateVolumes(const object::ListView<views::core_v1::Volume>& volumes,
                     std::string_view pod_name, const PodOptions& options, ValidVolumes& valid,
                     FieldErrors& errors);

// The following look at the place where `errors` is, or a field of it.
void ValidateKeyToPath(const views::core_v1::KeyToPath& item, FieldErrors& errors);
void ValidateDownwardFile(const views::core_v1::DownwardAPIVolumeFile& file, FieldErrors& errors);
// Mode bits of files: 0 to 0777.
void ValidateFileMode(std::optional<int32_t> mode, std::string_view field, FieldErrors& errors);
void ValidatePullPolicy(std::string_view policy, std::string_view field, FieldErrors& errors);
// Names of CSI drivers.
void ValidateCsiDriverName(std::string_view name, std::string_view field, FieldErrors& errors);

}  // namespace skiff::apiserver
