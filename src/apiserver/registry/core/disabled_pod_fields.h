// Fields of pods that belong to a feature which is off (pod_options.h), in pods and in templates of
// pods alike.
#pragma once

#include "object/value.h"

namespace skiff {

// They are taken out of a spec, unless the stored one has them already. `old_spec` is null for a
// new object.
void DropDisabledPodFields(Value& spec, const Value* old_spec);

}  // namespace skiff
