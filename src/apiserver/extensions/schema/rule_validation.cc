#include "apiserver/extensions/schema/rule_validation.h"

#include <algorithm>
#include <utility>

#include "apiserver/extensions/schema/custom_resource.h"
#include "apiserver/extensions/schema/value_faults.h"
#include "base/go_quoted.h"
#include "base/limits.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

std::string ShownIn(const cel::RuleFault& fault) {
  switch (fault.shows) {
    case cel::RuleFault::Shows::kNothing:
      return {};
    case cel::RuleFault::Shows::kValue:
      return GoShown(*fault.value);
    case cel::RuleFault::Shows::kSchemaType:
      return GoQuoted(fault.schema_type);
  }
  return {};
}

StatusCause CauseOf(const cel::RuleFault& fault) {
  struct Kind {
    std::string_view reason;
    std::string_view text;
    bool shows_value;
  };
  static constexpr Kind kKinds[] = {{"FieldValueForbidden", "Forbidden", false},
                                    {"FieldValueRequired", "Required value", false},
                                    {"FieldValueDuplicate", "Duplicate value", true},
                                    {"FieldValueInvalid", "Invalid value", true}};
  const Kind* kind = std::ranges::find(kKinds, fault.type, &Kind::reason);
  if (kind == std::end(kKinds)) kind = std::end(kKinds) - 1;
  std::string message(kind->text);
  if (kind->shows_value) {
    if (const std::string shown = ShownIn(fault); !shown.empty()) (message += ": ") += shown;
  }
  if (!fault.detail.empty()) (message += ": ") += fault.detail;
  // Kubernetes has no path for the object itself.
  std::string field = fault.field.empty() ? "<nil>" : fault.field;
  CutText(field, limits::kMaxCauseFieldBytes);
  return {std::string(kind->reason), std::move(message), std::move(field)};
}

}  // namespace

int64_t EvaluateRulesAt(const cel::RuleNode& rules, const cel::RuleInput& input,
                        std::vector<std::string>* warnings, FieldErrors& errors) {
  const std::string root = errors.PathOf("");
  cel::RuleInput placed = input;
  placed.root = root;
  const cel::RuleOutcome outcome = cel::RunRules(rules, placed);
  for (const cel::RuleFault& fault : outcome.faults) {
    if (errors.full()) {
      errors.LeaveOut(1);
    } else {
      errors.Append({CauseOf(fault)});
    }
  }
  errors.LeaveOut(outcome.left_out);
  for (const cel::RuleFault& fault : outcome.warnings) {
    if (warnings == nullptr || warnings->size() >= limits::kMaxFieldIssues) break;
    const StatusCause cause = CauseOf(fault);
    warnings->push_back(cause.field + ": " + cause.message);
  }
  return outcome.remaining;
}

void EvaluateRules(const CompiledSchema& schema, const object::Value& object,
                   const object::Value* old, const RuleOptions& options, FieldErrors& errors) {
  if (!schema.root().is(SchemaNode::kRules) || SkipRulesIfInvalid(errors)) return;
  const cel::RuleNode* rules = schema.rules();
  if (rules == nullptr) return;
  EvaluateRulesAt(*rules,
                  {.object = object,
                   .old_object = old,
                   .ratcheting = options.ratcheting,
                   .interrupt = options.interrupt},
                  options.warnings, errors);
}

}  // namespace skiff::apiserver
