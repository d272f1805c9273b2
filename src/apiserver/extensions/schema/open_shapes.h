// Schemas of custom resources for server-side apply: SchemaShape behind object::OpenShapes.
#pragma once

#include "apiserver/extensions/schema/compiled_schema.h"
#include "object/fields/shape.h"

namespace skiff::apiserver {

// Of a whole custom resource. The schema outlives the shape; null: there is none, and all but the
// metadata is deduced from its values.
object::FieldShape ShapeOfCustomResource(const CompiledSchema* schema);

}  // namespace skiff::apiserver
