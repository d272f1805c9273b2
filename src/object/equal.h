// The parts of DeepEqual (value.h) for those who walk two trees themselves.
#pragma once

#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

// Two values of a field, or two items or map values of it; `field` is null in untyped trees.
bool EqualInField(const FieldDesc* field, const Value& a, const Value& b);

// Whether the value of a field equals the field's not being set.
bool EqualsAbsent(const FieldDesc& field, const Value& value);

// Whether two trees are the same in every bit that they hold, which is quickly told and mostly
// enough: what is identical is also equal in any other sense. Absent and zero differ here.
bool Identical(const Value& a, const Value& b);

// Neither a list, a map nor an object.
inline bool IsScalar(const Value& value) { return value.tag() < Tag::kList; }

}  // namespace skiff::object
