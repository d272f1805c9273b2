// Overlapping paths within the volumes of pods.
#pragma once

#include "apiserver/registry/core/warner.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// Files of one volume that would overwrite or hide each other.
void WarnAboutOverlappingPaths(const object::ListView<views::core_v1::Volume>& volumes,
                               Warner& warner);

}  // namespace skiff::apiserver
