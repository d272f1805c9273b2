// The rules of a structural schema: x-kubernetes-validations, compiled once.
//
// Rules are compiled per node of the schema, where `self` and `oldSelf` are of the node's type.
// Nodes exist on the way to rules only. A tree is immutable once it is made; any number of threads
// run it (rule_run.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/environment.h"
#include "cel/program.h"
#include "cel/schema_types.h"

namespace skiff::cel {

struct CompiledRule {
  ValidationRule rule;
  std::shared_ptr<const Program> program;  // null: empty, or see the error
  std::string error;
  bool uses_old_self = false;
  uint64_t max_cost = 0;
  uint64_t max_cardinality = 0;
  std::shared_ptr<const Program> message;
  std::string message_error;
  uint64_t message_max_cost = 0;
  std::string field_path;  // where its fault is, below the node
};

struct RuleNode {
  struct Property {
    std::string name;
    std::unique_ptr<const RuleNode> node;
  };

  // Null: no rules there.
  const RuleNode* FindProperty(std::string_view name) const;

  std::vector<CompiledRule> rules;
  std::string error;           // why none of them could be compiled
  bool is_over_limit = false;  // that is why
  std::string schema_type;     // "object", …
  const SchemaType* type = nullptr;
  std::unique_ptr<const RuleNode> items;
  std::unique_ptr<const RuleNode> values;
  std::vector<Property> properties;  // ascending by name
  std::vector<std::unique_ptr<const RuleNode>> all_of;
  std::unique_ptr<const SchemaTypes> types;  // of the whole tree, at its root
};

// How many rules a schema may have; of one that has more, none is compiled.
inline constexpr size_t kMaxRulesOfSchema = 10'000;

// Null: the schema has no rules.
std::unique_ptr<const RuleNode> CompileRules(const Schema& schema, bool resource_root,
                                             std::shared_ptr<const Environment> environment);

}  // namespace skiff::cel
