#include "apiserver/admission/policy_evaluation.h"

#include <set>
#include <utility>

#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMaxMessageBytes = 5 * 1024;

std::string OutOfBudget() { return std::string(cel::kAdmissionOutOfBudget); }

PolicyVerdict FaultOfAll(const Policy& policy, std::string message) {
  PolicyVerdict out;
  out.decisions.push_back({.denies = !policy.ignores_failures,
                           .evaluation = PolicyDecision::Evaluation::kError,
                           .message = std::move(message)});
  return out;
}

// Of a validation that failed: what its expression says if that is a message, else its text.
std::string MessageOf(const Policy::Validation& validation, const cel::AdmissionOutcome* said) {
  if (said != nullptr && said->error.empty() && said->value.is_string()) {
    const std::string_view text = TrimSpace(said->value.AsText());
    const bool is_message = !text.empty() && text.size() <= kMaxMessageBytes &&
                            text.find('\n') == std::string_view::npos;
    if (is_message) return std::string(text);
  }
  if (const std::string_view text = TrimSpace(validation.message); !text.empty()) {
    return std::string(text);
  }
  return "failed expression: " + std::string(TrimSpace(validation.expression.text));
}

// The expressions of one policy for one parameter. Their values lie in one evaluation.
class Evaluator {
 public:
  Evaluator(const Policy& policy, const PolicyRequest& request, const PolicyInputs::Given& given,
            Clock& clock)
      : policy_(policy), request_(request), given_(given), clock_(clock) {}

  PolicyVerdict Run() {
    PolicyVerdict out;
    uint64_t left = cel::kAdmissionBudget;
    if (!EvaluateValidations(out, left)) return FaultOfAll(policy_, OutOfBudget());
    DecideOnMessages(out, left);
    if (!policy_.audit_annotations.empty() && !EvaluateAnnotations(out)) {
      return FaultOfAll(policy_, OutOfBudget());
    }
    return out;
  }

 private:
  // False: the budget ran out.
  bool EvaluateValidations(PolicyVerdict& out, uint64_t& left) {
    PolicyInputs inputs(evaluation_, policy_.variables, request_, given_);
    cel::AdmissionRun run(evaluation_, inputs, left);
    for (const Policy::Validation& each : policy_.validations) {
      const Duration began = clock_.Monotonic();
      cel::AdmissionOutcome outcome = run.Evaluate(each.expression);
      if (run.out_of_budget()) return false;
      PolicyDecision& decision = out.decisions.emplace_back();
      decision.took = clock_.Monotonic() - began;
      if (!outcome.error.empty()) {
        decision.denies = !policy_.ignores_failures;
        decision.evaluation = PolicyDecision::Evaluation::kError;
        decision.message = std::move(outcome.error);
      } else if (!outcome.value.is_true()) {
        decision.denies = true;
        decision.evaluation = PolicyDecision::Evaluation::kDeny;
        decision.reason = each.reason.empty() ? "Invalid" : each.reason;
        any_denied_ = true;
      }
    }
    left = run.budget();
    return true;
  }

  // Messages are evaluated on what the validations have left of their budget, and only where one is
  // needed: where Kubernetes evaluates all of them, nobody sees the others.
  void DecideOnMessages(PolicyVerdict& out, uint64_t left) {
    if (!any_denied_) return;
    PolicyInputs inputs(evaluation_, policy_.variables, request_, given_);
    cel::AdmissionRun run(evaluation_, inputs, left);
    std::vector<cel::AdmissionOutcome> said(policy_.validations.size());
    for (size_t i = 0; i < said.size() && !run.out_of_budget(); ++i) {
      const auto& expression = policy_.validations[i].message_expression;
      if (expression) said[i] = run.Evaluate(*expression);
    }
    for (size_t i = 0; i < said.size(); ++i) {
      PolicyDecision& decision = out.decisions[i];
      if (decision.evaluation == PolicyDecision::Evaluation::kError) continue;
      if (run.out_of_budget()) {
        decision = {.denies = !policy_.ignores_failures,
                    .evaluation = PolicyDecision::Evaluation::kError,
                    .message = "failed messageExpression: " + OutOfBudget(),
                    .took = decision.took};
      } else if (decision.evaluation == PolicyDecision::Evaluation::kDeny) {
        const bool has_expression = policy_.validations[i].message_expression.has_value();
        decision.message = MessageOf(policy_.validations[i], has_expression ? &said[i] : nullptr);
      }
    }
  }

  bool EvaluateAnnotations(PolicyVerdict& out) {
    PolicyInputs inputs(evaluation_, policy_.variables, request_, given_);
    cel::AdmissionRun run(evaluation_, inputs, cel::kAdmissionBudget);
    for (const Policy::AuditAnnotation& each : policy_.audit_annotations) {
      const Duration began = clock_.Monotonic();
      cel::AdmissionOutcome outcome = run.Evaluate(each.value);
      if (run.out_of_budget()) return false;
      PolicyAnnotation& annotation = out.annotations.emplace_back(each.key);
      annotation.took = clock_.Monotonic() - began;
      if (!outcome.error.empty()) {
        if (!policy_.ignores_failures) annotation.error = std::move(outcome.error);
      } else if (outcome.value.is_string()) {
        annotation.value = TrimSpace(outcome.value.AsText());
      }
    }
    return true;
  }

  const Policy& policy_;
  const PolicyRequest& request_;
  const PolicyInputs::Given& given_;
  Clock& clock_;
  cel::Evaluation evaluation_;
  bool any_denied_ = false;
};

}  // namespace

std::string_view PolicyErrorType(std::string_view message) {
  if (message.starts_with("compilation")) return "compile_error";
  if (message.starts_with("validation failed due to running out of cost budget")) {
    return "out_of_budget";
  }
  return "invalid_error";
}

PolicyMatch MatchesConditions(const Policy& policy, const PolicyRequest& request,
                              const PolicyInputs::Given& given) {
  if (policy.conditions.empty()) return {true};
  cel::Evaluation evaluation;
  PolicyInputs inputs(evaluation, policy.variables, request, given);
  cel::AdmissionRun run(evaluation, inputs, cel::kMatchConditionBudget);
  std::vector<std::string> errors;
  bool one_is_false = false;
  for (const Policy::Condition& each : policy.conditions) {
    cel::AdmissionOutcome outcome = run.Evaluate(each.expression);
    if (run.out_of_budget()) return {false, policy.ignores_failures ? "" : OutOfBudget()};
    if (!outcome.error.empty()) errors.push_back(std::move(outcome.error));
    one_is_false = one_is_false || outcome.value.is_false();
  }
  if (one_is_false) return {};
  if (errors.empty()) return {true};
  if (policy.ignores_failures) return {};
  if (errors.size() == 1) return {false, std::move(errors.front())};
  // As Kubernetes prints several errors: each text once.
  std::string all;
  std::set<std::string_view> seen;
  for (const std::string& error : errors) {
    if (seen.insert(error).second) all += (all.empty() ? "" : ", ") + error;
  }
  return {false, seen.size() == 1 ? all : "[" + all + "]"};
}

PolicyVerdict EvaluatePolicy(const Policy& policy, const PolicyRequest& request,
                             const PolicyInputs::Given& given, Clock& clock) {
  return Evaluator(policy, request, given, clock).Run();
}

}  // namespace skiff::apiserver
