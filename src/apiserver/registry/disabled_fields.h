// Fields that belong to a feature which is off do not exist for clients: they are
// taken out of what is written. Where the stored object has one of them already, the feature was on
// once; then they stay, or updates that are about something else would lose them.
#pragma once

#include "base/feature_gates.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

// Both objects are of the stored type; `old` is null when the object is new.
void DropDisabledFields(const FeatureGates& gates, const object::ResourceDesc& resource,
                        const object::Document* old, object::Document& object);

}  // namespace skiff::apiserver
