// Zero values: what a field that is no pointer has when nobody sets it.
#pragma once

#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

// Null, false, a number 0, text or bytes without any, the zero time. What has members, and raw
// JSON, is never zero here, since whoever asks has rules of his own for it.
inline bool IsZeroScalar(const Value& value) {
  switch (value.tag()) {
    case Tag::kNull:
      return true;
    case Tag::kBool:
      return !value.AsBool();
    case Tag::kInt:
    case Tag::kDuration:
      return value.AsInt() == 0;
    case Tag::kUint:
      return value.AsUint() == 0;
    case Tag::kDouble:
      return value.AsDouble() == 0;
    case Tag::kString:
    case Tag::kBytes:
      return value.AsText().empty();
    case Tag::kTime:
    case Tag::kMicroTime:
      return IsZero(value.AsTime());
    default:
      return false;
  }
}

// Whether a scalar of a field that is no pointer says no more than its absence. Bytes that are
// there are not nil, even without any.
inline bool IsZeroScalar(FieldType type, const Value& value) {
  switch (value.tag()) {
    case Tag::kString:
      return type == FieldType::kQuantity ? value.AsText() == "0"
                                          : type == FieldType::kString && value.AsText().empty();
    case Tag::kBytes:
      return false;
    default:
      return IsZeroScalar(value);
  }
}

// Whether a member says to defaulting no more than its absence: null, or the zero value of a field
// that is no pointer.
inline bool IsUnset(const FieldDesc& field, const Value& member) {
  if (field.pointer()) return member.is_null();
  return member.is_list() || member.is_map() ? member.size() == 0 : IsZeroScalar(member);
}

}  // namespace skiff::object
