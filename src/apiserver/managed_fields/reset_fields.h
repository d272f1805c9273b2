// Fields that a write through an endpoint does not own, since it cannot set them: the status
// through the resource itself, the spec through its status.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/resource.h"

namespace skiff::apiserver {

class ResetFields {
 public:
  // As the schema says for the subresource (empty: the resource itself). `storage` may be null:
  // nothing is reset. The paths are copied to the arena. What the schema lets an endpoint keep
  // (keep-only) is for its strategy: as in Kubernetes, a resize of a pod owns whatever it tries to
  // change.
  ResetFields(Arena& arena, const object::StorageDesc* storage, std::string_view subresource);

  // The set without what the endpoint resets.
  object::FieldSet Apply(Arena& arena, const object::FieldSet& set) const;
  const object::FieldSet& excluded() const { return excluded_; }

 private:
  object::FieldSet excluded_;
};

// What no manager ever owns: kind, apiVersion, and the metadata that the server keeps.
const object::FieldSet& UnownedFields();

}  // namespace skiff::apiserver
