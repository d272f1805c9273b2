// The defaults of a schema: each must be a value that the schema at its place allows.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of a structural schema and all within it, by the engine that validates custom resources. Rules in
// CEL are not looked at.
void ValidateDefaults(const object::Value* schema, FieldErrors& errors);

}  // namespace skiff::apiserver
