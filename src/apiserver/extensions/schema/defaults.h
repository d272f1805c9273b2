// Defaulting by a schema: absent fields get the default of their schema, and so do fields and items
// that are null though they must not be. It goes on inside what it has set, so an object whose
// default is {} gets the defaults of its fields.
#pragma once

#include "apiserver/extensions/schema/compiled_schema.h"
#include "base/arena.h"
#include "object/value.h"

namespace skiff::apiserver {

// What is set is copied into `arena`, the one that `value` lies in.
void ApplyDefaults(const SchemaNode& schema, object::Value& value, Arena& arena);

}  // namespace skiff::apiserver
