// The defaults of every message of the schema, compiled: fields by their index instead of paths,
// constants as values instead of JSON, and only the fields to descend into that lead to defaults.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/defaults/code_rules.h"
#include "apiserver/defaults/defaults.h"
#include "apiserver/defaults/rule_path.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff {

struct RuleCondition {
  RulePath path;
  bool negated;
  std::span<const std::string_view> values;
};

// A constant, a copy of what is at `source`, or code.
struct DefaultRule {
  RulePath path;
  Value constant;
  RulePath source;
  const CodeRuleEntry* code = nullptr;
  std::vector<RuleCondition> conditions;
};

struct MessagePlan {
  struct Child {
    uint16_t field;
    Cardinality cardinality;
    // A message that is no pointer is there even when it is not written, and so are its defaults.
    bool filled_when_absent;
    const MessagePlan* plan;
  };

  const MessageDesc* message = nullptr;
  std::vector<Value> constants;    // each knows its field; ascending
  std::vector<DefaultRule> rules;  // in order
  std::vector<uint16_t> amounts;   // maps of quantities that are rounded up to thousandths
  std::vector<Child> children;     // ascending
};

class WireChecks;

class DefaultPlans {
 public:
  ~DefaultPlans();
  // Compiles the whole schema. A rule that does not fit it is an error, which only a change of the
  // schema can bring about.
  static Result<std::unique_ptr<const DefaultPlans>> Compile(
      const DefaultsEnvironment& environment);

  void Apply(Document& object) const;
  // Whether objects of this type have defaults at all.
  bool Has(const MessageDesc* type) const { return plans_.contains(type); }
  // Whether Apply() would change nothing in an object of these bytes; false also when that is not
  // certain.
  bool LeavesAlone(const MessageDesc* type, std::string_view message) const;

 private:
  explicit DefaultPlans(RuleSettings settings);

  friend class PlanCompiler;

  RuleSettings settings_;
  std::unordered_map<const MessageDesc*, std::unique_ptr<MessagePlan>> plans_;
  std::vector<Document> constants_;  // what the plans' values point into
  std::unique_ptr<WireChecks> checks_;
};

}  // namespace skiff
