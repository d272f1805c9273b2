// The fields of an object that is new, as FieldsV1 text.
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "object/fields/field_set.h"
#include "object/value.h"

namespace skiff::object {

// Fields that nobody owns: `unowned` by themselves, `reset` with all that is below them.
struct FieldExceptions {
  FieldSet unowned;
  FieldSet reset;
};

// Appends what CompareFields() of an empty object and this typed one finds, added and modified
// together, less the exceptions: in one walk, where comparing and writing what came of it takes
// twice as long. False, and whatever was appended is to be dropped, if there are items that
// cannot be told apart or values without a descriptor, which are left to the comparison.
bool AppendFieldsOfNew(Arena& arena, ByteBuffer& out, const Value& object,
                       const FieldExceptions& exceptions);

}  // namespace skiff::object
