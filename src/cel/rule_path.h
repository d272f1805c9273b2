// Paths of fields as rules write them: .spec.names['x'].
#pragma once

#include <string>
#include <string_view>

#include "cel/schema_types.h"

namespace skiff::cel {

// "spec.names[x]" for ".spec.names['x']", if the schema has such a field; empty: it has none.
std::string NormalizedFieldPath(std::string_view path, const Schema& schema);

}  // namespace skiff::cel
