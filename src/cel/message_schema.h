// The schema of a built-in kind, from its descriptor: what OpenAPI says of it, as far as types go.
#pragma once

#include "cel/schema_types.h"
#include "object/descriptor.h"

namespace skiff::cel {

// A message within itself has no properties.
Schema SchemaOfMessage(const object::MessageDesc& message);

}  // namespace skiff::cel
