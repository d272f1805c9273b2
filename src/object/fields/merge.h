// Merging a configuration into an object, and taking fields out of one.
//
// Both make a tree that shares with its sources whatever did not change: an object that already
// says what the configuration says comes back as it is, without a copy. The tree may mix typed
// values with untyped ones of the configuration; retype.h makes a typed document of it.
#pragma once

#include <functional>

#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff::object {

struct MergedValue {
  Value value;
  bool changed;  // false: `value` is the live one
};

// What the configuration says replaces what is there; the rest stays. Lists that are owned item by
// item get the order of the configuration where the two share items, and what only one has stays
// next to its neighbours. The configuration has been checked (check.h).
MergedValue MergeConfiguration(Arena& arena, const FieldShape& shape, const Value& live,
                               const Value& config);

// Without the fields, keys and items of the set. A list or map that loses all becomes null.
Value WithoutFields(Arena& arena, const FieldShape& shape, const Value& value,
                    const FieldSet& fields);

}  // namespace skiff::object
