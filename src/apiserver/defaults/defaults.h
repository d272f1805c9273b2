// Defaulting: what an object gets for the fields that its writer left out, as Kubernetes fills them
// in whenever it decodes an object, whether it came in a request, out of a patch or from storage.
//
// The schema says what: constants of single fields (FieldTraits::default_json) and rules of
// messages (DefaultsDesc). The few rules that are code stand with their kinds, see code_rules.h.
// All of them are compiled once into a plan per message: fields by their index instead of paths,
// constants as values instead of JSON, and only the fields to descend into that lead to defaults.
//
// Applying twice changes nothing more.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/defaults/code_rules.h"
#include "apiserver/defaults/rule_path.h"
#include "base/clock.h"
#include "base/feature_gates.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

struct RuleCondition {
  RulePath path;
  bool negated;
  std::span<const std::string_view> values;
};

// A constant, a copy of what is at `source`, or code.
struct DefaultRule {
  RulePath path;
  object::Value constant;
  RulePath source;
  const CodeRuleEntry* code = nullptr;
  std::vector<RuleCondition> conditions;
};

struct MessagePlan {
  struct Child {
    uint16_t field;
    object::Cardinality cardinality;
    // A message that is no pointer is there even when it is not written, and so are its defaults.
    bool filled_when_absent;
    const MessagePlan* plan;
  };

  const object::MessageDesc* message = nullptr;
  std::vector<object::Value> constants;  // each knows its field; ascending
  std::vector<DefaultRule> rules;        // in order
  std::vector<uint16_t> amounts;         // maps of quantities that are rounded up to thousandths
  std::vector<Child> children;           // ascending
};

class WireChecks;

struct DefaultsEnvironment {
  FeatureGates gates = {};
  // For defaults that are the time of day; null: such fields stay unset. Must outlive every use.
  Clock* clock = nullptr;
  // Where the rules that are code are found; never null.
  FindCodeRule find_rule = nullptr;
};

// Owned by the server whose gates they were compiled for, and handed to all that reads objects.
// Immutable; any thread may use them.
class DefaultPlans {
 public:
  DefaultPlans(const DefaultPlans&) = delete;
  DefaultPlans& operator=(const DefaultPlans&) = delete;
  ~DefaultPlans();
  // Compiles the whole schema. A rule that does not fit it is an error, which only a change of the
  // schema can bring about.
  static Result<std::unique_ptr<const DefaultPlans>> Compile(
      const DefaultsEnvironment& environment);

  // Fills in the defaults of the document's own version. Does nothing to documents without a type
  // or of a type that is not in the schema. Constant text is not copied: the document must not
  // outlive the plans.
  void Apply(object::Document& object) const;
  // Whether objects of this type have defaults at all.
  bool Has(const object::MessageDesc* type) const { return plans_.contains(type); }
  // Whether Apply() would change nothing in the object of this type that these bytes of protobuf
  // (without an envelope) hold. Yes is certain; no may mean that only decoding the object can tell.
  // Costs a walk over the parts that can have defaults, and allocates nothing.
  bool LeavesAlone(const object::MessageDesc* type, std::string_view message) const;

 private:
  explicit DefaultPlans(const RuleSettings& settings);

  friend class PlanCompiler;

  RuleSettings settings_;
  std::unordered_map<const object::MessageDesc*, std::unique_ptr<MessagePlan>> plans_;
  std::vector<object::Document> constants_;  // what the plans' values point into
  std::unique_ptr<WireChecks> checks_;
};

}  // namespace skiff::apiserver
