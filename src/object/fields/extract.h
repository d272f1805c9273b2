// The set of fields that an object or a configuration has.
#pragma once

#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff::object {

// Every leaf, every item of a list and every key of a map; of structs only those that are null or
// show nothing. The set points into the value and the arena.
FieldSet FieldsOf(Arena& arena, const FieldShape& shape, const Value& value);
// Without members of typed objects that are not set, though their JSON shows them (as null, "" or
// 0): for values that something was taken from.
FieldSet SetFieldsOf(Arena& arena, const FieldShape& shape, const Value& value);

}  // namespace skiff::object
