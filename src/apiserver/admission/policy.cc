#include "apiserver/admission/policy.h"

#include <set>
#include <utility>

#include "apiserver/validation/value_fields.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

const object::Value* SpecOf(const object::Value& root) { return root.Find("spec"); }
std::string NameIn(const object::Value& root) {
  return std::string(TextOf(root.Find("metadata"), "name"));
}

void CompileVariables(const object::Value* spec, const cel::AdmissionNames& names,
                      cel::AdmissionCompiler& compiler, Policy& out) {
  for (const object::Value* each : ItemsOf(spec, "variables")) {
    const std::string_view name = TextOf(each, "name");
    cel::AdmissionExpression variable =
        compiler.Compile(TextOf(each, "expression"), cel::AdmissionResult::kAny, names);
    compiler.AddVariable(name, variable);
    out.variables.emplace_back(name, std::move(variable));
  }
}

void CompileValidations(const object::Value* spec, const cel::AdmissionNames& names,
                        cel::AdmissionCompiler& compiler, Policy& out) {
  for (const object::Value* each : ItemsOf(spec, "validations")) {
    Policy::Validation& validation = out.validations.emplace_back(
        compiler.Compile(TextOf(each, "expression"), cel::AdmissionResult::kBool, names),
        std::string(TextOf(each, "message")), std::string(TextOf(each, "reason")));
    const std::string_view message = TextOf(each, "messageExpression");
    if (message.empty()) continue;
    validation.message_expression = compiler.Compile(message, cel::AdmissionResult::kString,
                                                     {.params = names.params, .authorizer = false});
  }
  for (const object::Value* each : ItemsOf(spec, "auditAnnotations")) {
    out.audit_annotations.push_back({std::string(TextOf(each, "key")),
                                     compiler.Compile(TextOf(each, "valueExpression"),
                                                      cel::AdmissionResult::kStringOrNull, names)});
  }
}

void CompileMutations(const object::Value* spec, cel::AdmissionNames names,
                      cel::AdmissionCompiler& compiler, Policy& out) {
  names.patches = true;
  for (const object::Value* each : ItemsOf(spec, "mutations")) {
    const bool is_json_patch = TextOf(each, "patchType") == "JSONPatch";
    const object::Value* part = FieldOf(each, is_json_patch ? "jsonPatch" : "applyConfiguration");
    if (part == nullptr) continue;
    out.mutations.push_back(
        {is_json_patch, compiler.Compile(TextOf(part, "expression"),
                                         is_json_patch ? cel::AdmissionResult::kPatches
                                                       : cel::AdmissionResult::kObject,
                                         names)});
  }
}

// The resources that the policy may match, or "*".
std::set<std::string_view> ResourcesOf(const Policy& policy) {
  std::set<std::string_view> out;
  for (const ResourceRule& rule : policy.match.rules) {
    for (const ResourceRule::Resource& each : rule.resources) out.insert(each.resource);
  }
  return out;
}

}  // namespace

Policy CompilePolicy(const object::Value& root) {
  const object::Value* spec = SpecOf(root);
  Policy out{.name = NameIn(root), .match = {}};
  const object::Value* match = FieldOf(spec, "matchConstraints");
  if (match != nullptr) out.match = ReadMatchCriteria(*match, "resourceRules");
  out.ignores_failures = TextOf(spec, "failurePolicy") == "Ignore";
  out.may_be_reinvoked = TextOf(spec, "reinvocationPolicy") == "IfNeeded";
  if (const object::Value* kind = FieldOf(spec, "paramKind")) {
    out.param_kind = {std::string(TextOf(kind, "apiVersion")), std::string(TextOf(kind, "kind"))};
  }
  const cel::AdmissionNames names{.params = out.param_kind.has_value()};
  cel::AdmissionCompiler compiler(/*has_variables=*/true);
  CompileVariables(spec, names, compiler, out);
  for (const object::Value* each : ItemsOf(spec, "matchConditions")) {
    out.conditions.push_back(
        {std::string(TextOf(each, "name")),
         compiler.Compile(TextOf(each, "expression"), cel::AdmissionResult::kBool, names)});
  }
  CompileValidations(spec, names, compiler, out);
  CompileMutations(spec, names, compiler, out);
  return out;
}

PolicyBinding ReadPolicyBinding(const object::Value& root) {
  const object::Value* spec = SpecOf(root);
  PolicyBinding out{.name = NameIn(root), .policy = std::string(TextOf(spec, "policyName"))};
  if (const object::Value* match = FieldOf(spec, "matchResources")) {
    out.match = ReadMatchCriteria(*match, "resourceRules");
    out.match->no_rules_match_all = true;
  }
  for (const std::string_view action : TextsOf(spec, "validationActions")) {
    out.actions.emplace_back(action);
  }
  const object::Value* ref = FieldOf(spec, "paramRef");
  if (ref == nullptr) return out;
  ParamRef& params = out.params.emplace();
  params.name = TextOf(ref, "name");
  params.name_space = TextOf(ref, "namespace");
  params.denies_without = TextOf(ref, "parameterNotFoundAction") == "Deny";
  if (const object::Value* selector = FieldOf(ref, "selector"); selector != nullptr) {
    Result<object::LabelSelector> read = object::LabelSelector::FromValue(selector);
    if (read) {
      params.selector = std::move(*read);
    } else {
      params.fault = read.error().message();
    }
  }
  return out;
}

PolicySnapshot::PolicySnapshot(std::vector<BoundPolicy> policies) : policies_(std::move(policies)) {
  for (const BoundPolicy& each : policies_) {
    for (const std::string_view resource : ResourcesOf(*each.policy)) {
      if (resource != "*") by_resource_[std::string(resource)];
    }
  }
  for (const BoundPolicy& each : policies_) {
    const std::set<std::string_view> resources = ResourcesOf(*each.policy);
    const bool is_for_any = resources.contains("*");
    if (is_for_any) of_any_.push_back(&each);
    for (auto& [resource, list] : by_resource_) {
      if (is_for_any || resources.contains(resource)) list.push_back(&each);
    }
  }
}

std::span<const BoundPolicy* const> PolicySnapshot::For(std::string_view resource) const {
  const auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? of_any_ : found->second;
}

}  // namespace skiff::apiserver
