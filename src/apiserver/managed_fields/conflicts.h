// Fields that others own and an apply would change.
#pragma once

#include <vector>

#include "apiserver/managed_fields/entries.h"
#include "base/status.h"
#include "object/fields/field_set.h"

namespace skiff::apiserver {

struct FieldConflict {
  ManagedEntry owner;
  object::FieldSet fields;
};

// 409 Apply failed with 1 conflict: conflict with "m1" using v1: .data.a
Status ConflictError(std::vector<FieldConflict> conflicts);

}  // namespace skiff::apiserver
