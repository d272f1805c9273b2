// The defaults of a schema: each must be a value that the schema at its place allows.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff {

// Of a structural schema and all within it. Types, required fields, enumerations, ranges and
// lengths are checked, and that nothing in a default is unknown.
void ValidateDefaults(const Value* schema, FieldErrors& errors);

}  // namespace skiff
