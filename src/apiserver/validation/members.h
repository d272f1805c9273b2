// Fields of messages as values, for comparing and showing them.
#pragma once

#include <cstdint>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"
#include "object/view.h"

namespace skiff::apiserver {

// Null when the field, or the message itself, is absent.
inline const object::Value* MemberOf(const object::View& view, uint16_t field) {
  return view.AsValue() != nullptr ? view.AsValue()->Member(field) : nullptr;
}
inline const object::Value* MemberOf(const object::View& view, std::string_view name) {
  return view.AsValue() != nullptr ? view.AsValue()->Find(name) : nullptr;
}

// Nothing, where a message shows the bad value.
inline ShownValue ShownNull() { return ShownValue(static_cast<const object::Value*>(nullptr)); }

}  // namespace skiff::apiserver
