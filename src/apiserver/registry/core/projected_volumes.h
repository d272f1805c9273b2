// Volumes that are put together from several sources.
#pragma once

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// At the source.
void ValidateProjectedVolume(const views::core_v1::ProjectedVolumeSource& source,
                             const PodOptions& options, FieldErrors& errors);

}  // namespace skiff::apiserver
