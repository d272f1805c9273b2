// Fields of pods that belong to a feature which is off, in pods and in templates of pods alike.
#pragma once

#include "base/feature_gates.h"
#include "object/value.h"

namespace skiff::apiserver {

// They are taken out of a spec, unless the stored one has them already. `old_spec` is null for a
// new object.
void DropDisabledPodFields(const FeatureGates& gates, object::Value& spec,
                           const object::Value* old_spec);

}  // namespace skiff::apiserver
