// Structural schemas: those that tell the type of everything, so that objects can be pruned,
// defaulted and merged by them.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

// Whether the schema uses only what a structural one can have at all.
bool CanBeStructural(const object::Value* schema);
// What keeps the schema, the root of one, from being structural, in the order of the fields.
void ValidateStructural(const object::Value* schema, std::string_view field, FieldErrors& errors);

}  // namespace skiff::apiserver
