// Paths of fields as rules write them: .spec.names['x'].
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/schema_types.h"

namespace skiff::cel {

struct RulePathStep {
  std::string name;
  bool is_bracketed = false;  // ['x'], which may be a key of a map too
};
// Nothing if it is no path.
std::optional<std::vector<RulePathStep>> ParseRulePath(std::string_view path);

// "spec.names[x]" for ".spec.names['x']", if the schema has such a field; empty: it has none.
std::string NormalizedFieldPath(std::string_view path, const Schema& schema);

}  // namespace skiff::cel
