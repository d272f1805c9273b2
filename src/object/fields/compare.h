// What a change does to the fields of an object.
#pragma once

#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff::object {

// Fields that only the new object has, that differ, and that only the old one has. Structs, maps
// and items that come or go are there themselves, besides what they hold.
struct FieldChanges {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
};

// Both are of the same shape. The order of lists that are owned item by item does not count.
FieldChanges CompareFields(Arena& arena, const FieldShape& shape, const Value& before,
                           const Value& after);

}  // namespace skiff::object
