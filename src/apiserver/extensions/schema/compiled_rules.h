// x-kubernetes-validations of a compiled schema, as the engine of CEL compiles them.
#pragma once

#include <memory>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "cel/rules.h"
#include "cel/schema_types.h"

namespace skiff::apiserver {

// What rules see of a schema.
cel::Schema SchemaForRules(const SchemaNode& node);

// Of the root of a resource. Null: it has no rules.
std::unique_ptr<const cel::RuleNode> CompileRulesOf(const SchemaNode& root);

}  // namespace skiff::apiserver
