// The rules of a structural schema: x-kubernetes-validations, compiled once and run over objects.
//
// Rules are compiled per node of the schema, where `self` and `oldSelf` are of the node's type. A
// rule that names oldSelf is run only where there is an old value: fields correlate by name, items
// by the keys of their list, and nothing else. With ratcheting, a fault of a value that has not
// changed is a warning.
//
// A RuleTree is immutable; any number of threads run it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/environment.h"
#include "cel/program.h"
#include "cel/schema_types.h"
#include "object/value.h"

namespace skiff::cel {

inline constexpr int64_t kRuleBudget = 10'000'000;

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
  std::vector<CompiledRule> rules;
  std::string error;  // why none of them could be compiled
  std::string schema_type;
  bool correlates_items = false;  // a list with keys
  std::vector<std::string> list_keys;
  bool atomic_map = false;
  std::shared_ptr<const SchemaTypes> schema_types;
  const SchemaType* type = nullptr;
  std::unique_ptr<RuleNode> items;
  std::unique_ptr<RuleNode> values;
  std::map<std::string, std::unique_ptr<RuleNode>, std::less<>> properties;
  std::vector<std::unique_ptr<RuleNode>> all_of;
};

// One thing that is wrong with an object.
struct RuleFault {
  std::string type;  // FieldValueInvalid, …
  std::string field;
  std::string detail;
  const object::Value* value = nullptr;  // null: not told
};

struct RuleOutcome {
  std::vector<RuleFault> faults;
  std::vector<RuleFault> warnings;  // faults that ratcheting held back
  int64_t remaining = 0;            // of the budget; -1: it ran out
};

struct RuleInput {
  const object::Value& object;
  const object::Value* old_object = nullptr;
  bool ratcheting = false;
  int64_t budget = kRuleBudget;
  std::string root = "root";  // how faults call the object
};

// Null: the schema has no rules.
std::unique_ptr<RuleNode> CompileRules(const Schema& schema, bool resource_root,
                                       std::shared_ptr<const Environment> environment);
RuleOutcome RunRules(const RuleNode& rules, const RuleInput& input);

}  // namespace skiff::cel
