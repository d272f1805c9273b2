// Lists of type set and map: each item once, each combination of keys once.
#pragma once

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

// Reports below the place where `errors` is. Of items that come several times the second is told.
void ValidateListTypes(const SchemaNode& schema, const object::Value& value, FieldErrors& errors);

// Whether two items of a list are the same.
bool HasDuplicates(const object::Value& list);

}  // namespace skiff::apiserver
