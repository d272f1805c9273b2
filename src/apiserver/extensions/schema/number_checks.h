// Bounds, multiples and formats of numbers.
#pragma once

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/extensions/schema/value_faults.h"
#include "object/path.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of an integer or a fraction. Integers are compared with the whole part of a bound, as
// Kubernetes does, unless the bound itself does not fit the type: that is a fault of its own.
void CheckNumber(SchemaType type, const SchemaChecks& checks, const object::Value& number,
                 const object::PathNode& path, ValueFaults& faults);

}  // namespace skiff::apiserver
