// Documents as values of expressions, read in place.
#pragma once

#include "cel/value.h"
#include "object/value.h"

namespace skiff::cel {

// What `value` is to an expression. Without a schema it is what its JSON would be: times and bytes
// of typed objects are strings. Text that has to be written for that lies in `arena`.
Val FromDocument(Arena& arena, const object::Value& value, const SchemaType* schema);

size_t DocumentMapSize(const Val& map);
MapItem DocumentMapAt(Arena& arena, const Val& map, size_t index);
// Unset: there is none.
Val DocumentMapFind(Arena& arena, const Val& map, const Val& key);
// == of a map of a document that has a schema.
Val DocumentMapEqual(Arena& arena, const Val& map, const Val& other);

}  // namespace skiff::cel
