// The conditions of both kinds of flow control.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff {

// Each condition has a type, and no other has it too.
void ValidateStatusConditions(const Document& object, FieldErrors& errors);

}  // namespace skiff
