// Checks of literals that follow the types: constant timestamps, durations, patterns and formats
// must be good, and the items of a literal list or map must be of one type.
#pragma once

#include <vector>

#include "cel/ast.h"
#include "cel/source.h"

namespace skiff::cel {

void CheckLiterals(const Expr& root, const Source& source, std::vector<Issue>& issues);

}  // namespace skiff::cel
