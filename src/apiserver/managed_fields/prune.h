// What goes from an object because its manager no longer applies it.
#pragma once

#include "apiserver/managed_fields/entries.h"
#include "apiserver/managed_fields/versions.h"
#include "base/arena.h"
#include "base/status.h"
#include "object/fields/field_set.h"

namespace skiff::apiserver {

// The merged object without the fields, items and keys of `last`, the set that the manager applied
// before in the version `last_version`, unless the manager applies them now or somebody else owns
// them; `managed` has all owners, with the set of now. What lies below an item that goes, goes with
// it, even if nobody owned it.
Result<VersionedValue> Prune(Arena& arena, VersionConverter& converter,
                             const VersionedValue& merged, ManagedFields& managed,
                             const object::FieldSet& last, std::string_view last_version);

}  // namespace skiff::apiserver
