// What a schema of a custom resource may say.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

class ExpressionRules;

// Rules that came late, and do not hold where the stored definition breaks them.
struct SchemaOptions {
  bool require_known_types = true;
  bool require_atomic_sets = true;
  bool require_sound_map_keys = true;
};

// Of a root schema; reports below `field`. Expressions are looked at where the schema is sound;
// null: not at all.
void ValidateSchema(const object::Value* schema, std::string_view field,
                    const SchemaOptions& options, ExpressionRules* expressions,
                    FieldErrors& errors);

// Whether a schema, or one within it, breaks one of the rules of SchemaOptions.
bool HasUnknownType(const object::Value* schema);
bool HasNonAtomicSet(const object::Value* schema);
bool HasUnsoundMapKeys(const object::Value* schema);

}  // namespace skiff::apiserver
