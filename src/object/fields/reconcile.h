// Sets that were written under another schema.
#pragma once

#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/fields/shape.h"

namespace skiff::object {

// The set as the schema of today has it: who owned parts of what is now atomic owns all of it. What
// the schema does not know stays. Mostly the set itself.
FieldSet FitToSchema(Arena& arena, const FieldSet& set, const FieldShape& shape);

}  // namespace skiff::object
