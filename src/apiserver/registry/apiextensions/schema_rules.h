// What a schema of a custom resource may say.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff {

// Rules that came late, and do not hold where the stored definition breaks them.
struct SchemaOptions {
  bool require_known_types = true;
  bool require_atomic_sets = true;
  bool require_sound_map_keys = true;
};

// Of a root schema; reports below `field`.
void ValidateSchema(const Value* schema, std::string_view field, const SchemaOptions& options,
                    FieldErrors& errors);

// Whether a schema, or one within it, breaks one of the rules of SchemaOptions.
bool HasUnknownType(const Value* schema);
bool HasNonAtomicSet(const Value* schema);
bool HasUnsoundMapKeys(const Value* schema);

}  // namespace skiff
