// The objects of flow control that every server relies on: their specs are fixed.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

inline constexpr std::string_view kExemptName = "exempt";

// Objects with other names are not looked at.
void ValidateMandatoryFlowSchema(const object::Document& object, FieldErrors& errors);
// Of the exempt level, `spec.exempt` may be anything.
void ValidateMandatoryPriorityLevel(const object::Document& object, FieldErrors& errors);

}  // namespace skiff::apiserver
