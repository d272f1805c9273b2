// A value of a document as its schema says.
#pragma once

#include "cel/schema_types.h"
#include "cel/value.h"

namespace skiff::cel {

// An error if the document does not go with the schema.
Val ReadBySchema(Arena& arena, const object::Value& value, const SchemaType& schema);

}  // namespace skiff::cel
