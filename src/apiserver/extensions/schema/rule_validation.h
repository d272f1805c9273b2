// x-kubernetes-validations of an object that is written: the rules of its schema are run, in place,
// with the budget that Kubernetes gives one object.
//
// They are compiled when the first object asks for them, once for a schema. Of an update, a rule
// that names oldSelf is run where there is an old value; with ratcheting, a fault of what did not
// change is a warning.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/validation/field_errors.h"
#include "cel/rule_run.h"
#include "object/value.h"

namespace skiff::apiserver {

struct RuleOptions {
  bool ratcheting = true;
  // Ends the run with a fault when it becomes true. May be null.
  const std::atomic<bool>* interrupt = nullptr;
  // Gets the faults that ratcheting held back; null: nobody asks.
  std::vector<std::string>* warnings = nullptr;
};

// `old` is null for a new object. Faults that are there already may be such that nothing can be
// evaluated: then one is added that says so, and no rule is run.
void EvaluateRules(const CompiledSchema& schema, const object::Value& object,
                   const object::Value* old, const RuleOptions& options, FieldErrors& errors);

// The rules of one node, or of a resource; what remains of the budget, below 0 if it ran out.
// Faults go where `errors` is.
int64_t EvaluateRulesAt(const cel::RuleNode& rules, const cel::RuleInput& input,
                        std::vector<std::string>* warnings, FieldErrors& errors);

}  // namespace skiff::apiserver
