// Taking away what a schema does not describe.
//
// Unknown fields go, in objects, items and values of maps alike, except where the schema preserves
// them; a preserved object is still pruned inside the properties that are described. A resource
// keeps apiVersion, kind and metadata whatever its schema says.
#pragma once

#include <vector>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "base/arena.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff::apiserver {

// `is_resource`: the value is an object with metadata though the schema does not say so, as a whole
// custom resource is. Memory of changed maps is taken from `arena`. What goes is listed in
// `dropped`, by path, unless it is null.
void PruneUnknownFields(const SchemaNode& schema, bool is_resource, object::Value& value,
                        Arena& arena, std::vector<object::FieldIssue>* dropped);

// Takes away fields that are null though they must not be, unless defaulting will give them a
// value. Null items of lists stay.
void PruneNulls(const SchemaNode& schema, object::Value& value, Arena& arena);

}  // namespace skiff::apiserver
