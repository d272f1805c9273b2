// Expressions of admission: those of policies, and the match conditions of webhooks.
//
// An expression sees object, oldObject, request and namespaceObject; whether it also sees params,
// authorizer and the types of patches depends on where it stands. Policies have variables besides:
// each is an expression that is evaluated when something asks for it, at most once for each group
// of expressions that are evaluated together, and sees those before it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/environment.h"
#include "cel/evaluation.h"
#include "cel/program.h"

namespace skiff::cel {

// What the expressions of one group, such as the validations of a policy for one parameter, may
// cost together; match conditions have less.
inline constexpr uint64_t kAdmissionBudget = 10'000'000;
inline constexpr uint64_t kMatchConditionBudget = 2'500'000;
// How far variables may be made of other variables.
inline constexpr int kMaxVariableDepth = 32;

// What an expression has to come to.
enum class AdmissionResult : uint8_t { kAny, kBool, kString, kStringOrNull, kObject, kPatches };

struct AdmissionExpression {
  std::string text;
  std::shared_ptr<const Program> program = nullptr;  // null: see the error
  std::string error = {};
  bool is_internal = false;  // the error is no fault of the text
};

// Compiles the expressions of one policy, in their order.
class AdmissionCompiler {
 public:
  // Without variables, `variables` is a name that nobody knows.
  explicit AdmissionCompiler(bool has_variables) : has_variables_(has_variables) {}
  // In an environment of the caller's own, whatever names are asked for.
  explicit AdmissionCompiler(std::shared_ptr<const Environment> environment)
      : has_variables_(true), base_(std::move(environment)) {}

  AdmissionExpression Compile(std::string_view text, AdmissionResult wanted,
                              const AdmissionNames& names);
  // What is compiled from now on may ask for it; if it could not be compiled, in vain.
  void AddVariable(std::string_view name, const AdmissionExpression& variable);

 private:
  struct Scope {
    AdmissionNames names;
    std::shared_ptr<Environment> environment;
    StructDecl* variables;
  };
  std::shared_ptr<const Environment> EnvironmentOf(const AdmissionNames& names);

  bool has_variables_;
  std::shared_ptr<const Environment> base_ = nullptr;  // null: that of the names
  std::vector<Scope> scopes_;
  // The types lie in the programs, which are kept for that.
  std::vector<std::pair<std::string, std::shared_ptr<const Program>>> variables_;
};

using AdmissionVariables = std::vector<std::pair<std::string, AdmissionExpression>>;

// The values of one group of expressions: what the caller gives, and the policy's variables.
class AdmissionInputs : public VariableSource, private ComputedMembers {
 public:
  // Both outlive it; `variables` may be null.
  AdmissionInputs(Evaluation& evaluation, const AdmissionVariables* variables);

  Val Get(std::string_view name, Arena& arena) final;
  // What was spent on variables since this was last asked.
  uint64_t TakeVariableCost() { return std::exchange(spent_, 0); }

 protected:
  Evaluation& evaluation() { return evaluation_; }
  // Any name but `variables`; asked for anew each time. Unset: there is none.
  virtual Val Find(std::string_view name) = 0;

 private:
  Val FindMember(std::string_view name) override;

  Evaluation& evaluation_;
  const AdmissionVariables* variables_;
  std::vector<Val> values_;  // of the variables; unset: not asked for yet
  MapBlock members_;
  uint64_t spent_ = 0;
  int depth_ = 0;
};

struct AdmissionOutcome {
  Val value;  // unset: there was nothing to evaluate, or the error
  std::string error = {};
};

// Evaluates expressions one after another on one budget.
class AdmissionRun {
 public:
  AdmissionRun(Evaluation& evaluation, AdmissionInputs& inputs, uint64_t budget)
      : evaluation_(evaluation), inputs_(inputs), budget_(budget) {}

  AdmissionOutcome Evaluate(const AdmissionExpression& expression);
  // The last evaluation took more than was left: its outcome is nothing, and nothing follows.
  bool out_of_budget() const { return out_of_budget_; }
  uint64_t budget() const { return budget_; }

 private:
  Evaluation& evaluation_;
  AdmissionInputs& inputs_;
  uint64_t budget_;
  bool out_of_budget_ = false;
};
// What is said of that.
inline constexpr std::string_view kAdmissionOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

}  // namespace skiff::cel
