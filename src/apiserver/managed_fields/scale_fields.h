// Field management through the scale subresource: managers own the replicas of a workload there
// under the name that the field has in a Scale.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// The managedFields of `scale` become those of the workload that own its replicas, which stand at
// this path of names.
void ManagedFieldsToScale(const object::Document& workload,
                          std::span<const std::string_view> replicas, object::Document& scale);

// The managedFields of the workload after a write of the scale: who lost the replicas has them no
// more, who got them has an entry in the workload's version.
void ManagedFieldsFromScale(const object::Document& scale,
                            std::span<const std::string_view> replicas, object::Document& workload);

}  // namespace skiff::apiserver
