// The conditions of both kinds of flow control.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

// Each condition has a type, and no other has it too.
void ValidateStatusConditions(const object::Document& object, FieldErrors& errors);

}  // namespace skiff::apiserver
