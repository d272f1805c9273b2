// What JSON shows for a field that is not set.
#pragma once

#include <string_view>

#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

// The value that Go prints for an unset field; empty when the field is left out. FieldDesc says
// by shown_unset() whether there is one.
std::string_view UnsetJson(const FieldDesc& field);

// True if the member prints like an unset field: zeros of non-pointer fields, empty lists, maps
// and bytes where omitempty leaves them out.
bool PrintsAsUnset(const FieldDesc& field, const Value& value);

}  // namespace skiff::object
