#include "cel/admission.h"

#include <algorithm>
#include <utility>

namespace skiff::cel {
namespace {

// The type of a variable as others see it: what is neither a plain type nor made of plain ones is
// not looked into.
const Type* VariableType(const Type& type, Types& types) {
  switch (type.kind) {
    case TypeKind::kAny:
      return &types::kAny;
    case TypeKind::kBool:
      return type.wrapper ? &types::kDyn : &types::kBool;
    case TypeKind::kInt:
      return type.wrapper ? &types::kDyn : &types::kInt;
    case TypeKind::kUint:
      return type.wrapper ? &types::kDyn : &types::kUint;
    case TypeKind::kDouble:
      return type.wrapper ? &types::kDyn : &types::kDouble;
    case TypeKind::kString:
      return type.wrapper ? &types::kDyn : &types::kString;
    case TypeKind::kBytes:
      return type.wrapper ? &types::kDyn : &types::kBytes;
    case TypeKind::kNull:
      return &types::kNull;
    case TypeKind::kTimestamp:
      return &types::kTimestamp;
    case TypeKind::kDuration:
      return &types::kDuration;
    case TypeKind::kList:
      return types.List(VariableType(*type.params[0], types));
    case TypeKind::kMap:
      return types.Map(VariableType(*type.params[0], types), VariableType(*type.params[1], types));
    default:
      return &types::kDyn;
  }
}

bool IsStruct(const Type& type, std::string_view name) {
  return type.kind == TypeKind::kStruct && type.name == name;
}

bool Is(const Type& type, AdmissionResult wanted) {
  switch (wanted) {
    case AdmissionResult::kAny:
      return true;
    case AdmissionResult::kBool:
      return SameType(type, types::kBool);
    case AdmissionResult::kString:
      return SameType(type, types::kString);
    case AdmissionResult::kStringOrNull:
      return SameType(type, types::kString) || SameType(type, types::kNull);
    case AdmissionResult::kObject:
      return IsStruct(type, "Object");
    case AdmissionResult::kPatches:
      return type.kind == TypeKind::kList && IsStruct(*type.params[0], "JSONPatch");
  }
  return false;
}

std::string_view Wanted(AdmissionResult wanted) {
  switch (wanted) {
    case AdmissionResult::kBool:
      return "must evaluate to bool";
    case AdmissionResult::kString:
      return "must evaluate to string";
    case AdmissionResult::kStringOrNull:
      return "must evaluate to one of [string null_type]";
    case AdmissionResult::kObject:
      return "must evaluate to Object";
    case AdmissionResult::kPatches:
      return "must evaluate to list(JSONPatch)";
    case AdmissionResult::kAny:
      break;
  }
  return {};
}

}  // namespace

std::shared_ptr<const Environment> AdmissionCompiler::EnvironmentOf(const AdmissionNames& names) {
  if (!has_variables_) return Environment::Admission(names);
  for (const Scope& scope : scopes_) {
    if (scope.names == names) return scope.environment;
  }
  auto environment =
      std::make_shared<Environment>(base_ != nullptr ? base_ : Environment::Admission(names));
  StructDecl& variables = environment->types().Struct("kubernetes.variables");
  for (const auto& [name, program] : variables_) {
    variables.fields[name] =
        program == nullptr ? &types::kDyn : VariableType(program->type(), environment->types());
  }
  environment->AddVariable("variables", variables.type);
  scopes_.push_back({names, environment, &variables});
  return environment;
}

AdmissionExpression AdmissionCompiler::Compile(std::string_view text, AdmissionResult wanted,
                                               const AdmissionNames& names) {
  AdmissionExpression out{std::string(text)};
  CompileResult compiled = cel::Compile(text, EnvironmentOf(names));
  if (!compiled.issues.empty()) {
    out.error = "compilation failed: " + compiled.display;
  } else if (const Type& type = compiled.checked->type(); !Is(type, wanted)) {
    out.error = std::string(Wanted(wanted)) + " but got " + TypeText(type);
  } else if (compiled.program == nullptr) {
    out.error = "program instantiation failed: " + compiled.program_error;
    out.is_internal = true;
  } else {
    out.program = std::move(compiled.program);
  }
  return out;
}

void AdmissionCompiler::AddVariable(std::string_view name, const AdmissionExpression& variable) {
  variables_.emplace_back(name, variable.program);
  for (const Scope& scope : scopes_) {
    scope.variables->fields[std::string(name)] =
        variable.program == nullptr
            ? &types::kDyn
            : VariableType(variable.program->type(), scope.environment->types());
  }
}

AdmissionInputs::AdmissionInputs(Evaluation& evaluation, const AdmissionVariables* variables)
    : evaluation_(evaluation), variables_(variables) {
  if (variables != nullptr) values_.resize(variables->size());
  members_.computed = this;
}

Val AdmissionInputs::Get(std::string_view name, Arena&) {
  if (name == "variables" && variables_ != nullptr) return Val::Map(&members_, 0);
  return Find(name);
}

Val AdmissionInputs::FindMember(std::string_view name) {
  // Of two variables of one name the later one is meant.
  size_t index = variables_->size();
  while (index > 0 && (*variables_)[index - 1].first != name) --index;
  if (index == 0) return {};
  Val& known = values_[--index];
  if (known.kind() != Kind::kUnset) return known;
  const AdmissionExpression& variable = (*variables_)[index].second;
  const std::string quoted = "composited variable \"" + std::string(name) + "\"";
  if (variable.program == nullptr) {
    return known = evaluation_.Error(quoted + " fails to compile: " + variable.error);
  }
  if (depth_ == kMaxVariableDepth) {
    return evaluation_.Error(quoted + " is made of too many others, one upon the other");
  }
  ++depth_;
  uint64_t cost = 0;
  Val value = evaluation_.RunWithin(*variable.program, *this, cost);
  --depth_;
  spent_ += cost;
  if (value.is_error()) {
    value = evaluation_.Error(quoted + " fails to evaluate: " + std::string(value.AsText()));
  }
  return values_[index] = value;
}

AdmissionOutcome AdmissionRun::Evaluate(const AdmissionExpression& expression) {
  if (expression.program == nullptr) return {{}, "compilation error: " + expression.error};
  const Val value = evaluation_.Run(*expression.program, inputs_);
  const uint64_t cost = inputs_.TakeVariableCost() + evaluation_.cost();
  if (cost > budget_) {
    out_of_budget_ = true;
    return {};
  }
  budget_ -= cost;
  if (!value.is_error()) return {value};
  return {{},
          "expression '" + expression.text + "' resulted in error: " + std::string(value.AsText())};
}

}  // namespace skiff::cel
