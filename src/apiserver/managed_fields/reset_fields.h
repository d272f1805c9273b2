// Fields that a write through an endpoint does not own, since it cannot set them: the status
// through the resource itself, the spec through its status.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/resource.h"

namespace skiff {

class ResetFields {
 public:
  // As the schema says for the subresource (empty: the resource itself). `storage` may be null:
  // nothing is reset. The paths are copied to the arena.
  ResetFields(Arena& arena, const StorageDesc* storage, std::string_view subresource);

  // The set without what the endpoint resets.
  FieldSet Apply(Arena& arena, const FieldSet& set) const;

 private:
  FieldSet excluded_;
  FieldSet only_;
  bool has_only_ = false;
};

// What no manager ever owns: kind, apiVersion, and the metadata that the server keeps.
const FieldSet& UnownedFields();

}  // namespace skiff
