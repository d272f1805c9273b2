// Whether a configuration that somebody applies fits the schema: all fields are declared, values
// have the right kind, and items of lists can be told apart.
#pragma once

#include <string>

#include "base/arena.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff {

// What is wrong with an untyped tree, as Kubernetes words it: ".data.a: expected string, got ...";
// several faults under "errors:". Empty: nothing is.
std::string ConfigurationFaults(Arena& arena, const FieldShape& shape, const Value& config);

}  // namespace skiff
