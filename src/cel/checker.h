// Finds the type of every node and which overloads its calls may mean.
//
// As cel-go infers types: overloads have type parameters, which are bound by unification; dyn and
// error types go with all others. Names of structs and variables with dots, and of functions such
// as `optional.of`, are found here too; nodes of the tree are changed accordingly.
#pragma once

#include <vector>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/source.h"

namespace skiff::cel {

// `types` makes the types of nodes and lives as long as the tree.
void Check(Expr* root, const Source& source, const Environment& environment, Types& types,
           Arena& arena, std::vector<Issue>& issues);

}  // namespace skiff::cel
