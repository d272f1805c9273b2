#include "apiserver/registry/admissionregistration/admission_policy.h"

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/registry/admissionregistration/expressions.h"
#include "apiserver/registry/admissionregistration/match_rules.h"
#include "apiserver/registry/admissionregistration/static_names.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMaxAuditAnnotations = 20;
constexpr size_t kMaxValueExpressionBytes = 5 * 1024;
constexpr std::string_view kReservedWords[] = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

bool IsBlank(std::string_view text) { return TrimSpace(text).empty(); }

bool HasLineBreak(std::string_view text) {
  return TrimSpace(text).find_first_of("\n\r") != std::string_view::npos;
}

bool IsExpressionIdentifier(std::string_view name) {
  return object::IsCIdentifier(name) &&
         std::ranges::find(kReservedWords, name) == std::end(kReservedWords);
}

void ValidateParamKind(const object::Value* kind, FieldErrors& errors) {
  const auto at = errors.At("paramKind");
  const std::string_view version = TextOf(kind, "apiVersion");
  const auto slashes = std::ranges::count(version, '/');
  if (version.empty()) {
    errors.Required("apiVersion");
  } else if (slashes > 1) {
    errors.Invalid("apiVersion", version,
                   "unexpected GroupVersion string: " + std::string(version));
  } else {
    const size_t slash = version.find('/');
    const std::string_view group = slashes == 1 ? version.substr(0, slash) : std::string_view();
    const std::string_view name = slashes == 1 ? version.substr(slash + 1) : version;
    if (!group.empty() && !object::IsDns1123Subdomain(group)) {
      errors.Invalid("apiVersion", group, object::CheckDns1123Subdomain(group).front());
    }
    if (name.empty()) {
      errors.Invalid("apiVersion", version, "version must be specified");
    } else if (!object::IsDns1035Label(name)) {
      errors.Invalid("apiVersion", name, object::CheckDns1035Label(name).front());
    }
  }
  const std::string_view name = TextOf(kind, "kind");
  if (name.empty()) {
    errors.Required("kind");
  } else if (const object::NameProblems problems = object::CheckDns1035Label(AsciiLower(name));
             !problems.empty()) {
    std::string why;
    for (const std::string& problem : problems) (why += why.empty() ? "" : ",") += problem;
    errors.Invalid("kind", name, "may have mixed case, but should otherwise match: " + why);
  }
}

// What is known while the expressions of one policy are looked at, in their order.
struct Expressions {
  explicit Expressions(const object::Value* spec, bool has_variables)
      : compiler(has_variables), has_params(FieldOf(spec, "paramKind") != nullptr) {}
  cel::AdmissionCompiler compiler;
  bool has_params;

  cel::AdmissionNames Names() const { return {.params = has_params}; }
};

void ValidateVariables(const object::Value* spec, Expressions& expressions, FieldErrors& errors) {
  const auto variables = ItemsOf(spec, "variables");
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto at = errors.At("variables", i);
    const std::string_view name = TextOf(variables[i], "name");
    if (IsBlank(name)) {
      errors.Required("name", "name is not specified");
    } else if (!IsExpressionIdentifier(name)) {
      errors.Invalid("name", name, "must be a valid CEL identifier");
    }
    const std::string_view text = TextOf(variables[i], "expression");
    if (IsBlank(text)) {
      errors.Required("expression", "expression is not specified");
      continue;
    }
    const ExpressionPlace place{"expression", text, cel::AdmissionResult::kAny,
                                expressions.Names()};
    expressions.compiler.AddVariable(name,
                                     CheckExpression(expressions.compiler, text, place, errors));
  }
}

// What is deleted cannot be changed. At what has the rules.
void ValidateMutatingOperations(const object::Value* match, FieldErrors& errors) {
  for (const object::Value* rule : ItemsOf(match, "resourceRules")) {
    for (const std::string_view operation : TextsOf(rule, "operations")) {
      ValidateOneOf(operation, {"*", "CONNECT", "CREATE", "UPDATE"}, "resourceRules.operations",
                    errors);
    }
  }
}

// What both kinds of policies begin with. Conditions that an update leaves alone stay.
void ValidateMatching(const object::Value* spec, bool check_conditions, bool is_mutating,
                      Expressions& expressions, FieldErrors& errors) {
  ValidateRequiredOneOf(spec, "failurePolicy", {"Fail", "Ignore"}, errors);
  if (const object::Value* kind = FieldOf(spec, "paramKind")) ValidateParamKind(kind, errors);
  const object::Value* match = FieldOf(spec, "matchConstraints");
  if (match == nullptr) {
    errors.Required("matchConstraints");
  } else {
    const auto at = errors.At("matchConstraints");
    ValidateMatchResources(match, errors);
    if (ItemsOf(match, "resourceRules").empty()) errors.Required("resourceRules");
    if (is_mutating) ValidateMutatingOperations(match, errors);
  }
  if (check_conditions) ValidateMatchConditions(spec, expressions.has_params, errors);
  ValidateVariables(spec, expressions, errors);
}

void ValidateMessageExpression(const object::Value* validation, Expressions& expressions,
                               FieldErrors& errors) {
  const std::string_view text = TextOf(validation, "messageExpression");
  if (text.empty()) return;
  if (IsBlank(text)) {
    return errors.Invalid("messageExpression", text, "must be non-empty if specified");
  }
  CheckExpression(expressions.compiler, text,
                  {"messageExpression",
                   text,
                   cel::AdmissionResult::kString,
                   {.params = expressions.has_params, .authorizer = false}},
                  errors);
}

void ValidateValidation(const object::Value* validation, Expressions& expressions,
                        FieldErrors& errors) {
  if (const std::string_view text = TextOf(validation, "expression"); IsBlank(text)) {
    errors.Required("expression", "expression is not specified");
  } else {
    CheckExpression(expressions.compiler, text,
                    {"expression", text, cel::AdmissionResult::kBool, expressions.Names()}, errors);
  }
  ValidateMessageExpression(validation, expressions, errors);
  const std::string_view message = TextOf(validation, "message");
  if (!message.empty() && IsBlank(message)) {
    errors.Invalid("message", message, "must be non-empty if specified");
  } else if (HasLineBreak(message)) {
    errors.Invalid("message", message, "must not contain line breaks");
  }
  if (FieldOf(validation, "reason") != nullptr) {
    ValidateOneOf(TextOf(validation, "reason"), {"Forbidden", "Invalid", "RequestEntityTooLarge"},
                  "reason", errors);
  }
}

void ValidateAuditAnnotations(const object::Value* spec, std::string_view policy,
                              Expressions& expressions, FieldErrors& errors) {
  const auto annotations = ItemsOf(spec, "auditAnnotations");
  if (annotations.size() > kMaxAuditAnnotations) {
    errors.Invalid("auditAnnotations", FieldOf(spec, "auditAnnotations"),
                   "must not have more than 20 auditAnnotations");
  }
  std::set<std::string_view> keys;
  for (size_t i = 0; i < annotations.size(); ++i) {
    const auto at = errors.At("auditAnnotations", i);
    const std::string_view key = TextOf(annotations[i], "key");
    const std::string whole = std::string(policy) + "/" + std::string(key);
    ValidateFormat(kQualifiedNameFormat, whole, "key", errors);
    const std::string_view expression = TrimSpace(TextOf(annotations[i], "valueExpression"));
    if (expression.empty()) {
      errors.Required("valueExpression", "valueExpression is not specified");
    } else if (expression.size() > kMaxValueExpressionBytes) {
      errors.Required("valueExpression", "must not exceed 5120 bytes in length");
    } else {
      CheckExpression(expressions.compiler, expression,
                      {"valueExpression", TextOf(annotations[i], "valueExpression"),
                       cel::AdmissionResult::kStringOrNull, expressions.Names()},
                      errors);
    }
    if (!keys.insert(key).second) errors.Duplicate("key", key);
  }
}

void ValidateValidatingPolicy(const object::Document& object, bool check_conditions,
                              FieldErrors& errors) {
  const object::Value* spec = object.root().Find("spec");
  const auto at = errors.At("spec");
  Expressions expressions(spec, !ItemsOf(spec, "variables").empty());
  ValidateMatching(spec, check_conditions, false, expressions, errors);
  const auto validations = ItemsOf(spec, "validations");
  if (validations.empty() && ItemsOf(spec, "auditAnnotations").empty()) {
    constexpr std::string_view kWhy =
        "validations or auditAnnotations must contain at least one item";
    errors.Required("validations", kWhy);
    return errors.Required("auditAnnotations", kWhy);
  }
  for (size_t i = 0; i < validations.size(); ++i) {
    const auto at_validation = errors.At("validations", i);
    ValidateValidation(validations[i], expressions, errors);
  }
  ValidateAuditAnnotations(spec, TextOf(object.root().Find("metadata"), "name"), expressions,
                           errors);
}

// A mutation has the part that its patch type names, and not the other.
void ValidateMutation(const object::Value* mutation, Expressions& expressions,
                      FieldErrors& errors) {
  const std::string_view type = TextOf(mutation, "patchType");
  if (type.empty()) return errors.Required("patchType");
  const bool is_json = type == "JSONPatch";
  if (!is_json && type != "ApplyConfiguration") {
    return errors.NotSupported("patchType", type, {"ApplyConfiguration", "JSONPatch"});
  }
  const std::string_view wanted = is_json ? "jsonPatch" : "applyConfiguration";
  const std::string_view other = is_json ? "applyConfiguration" : "jsonPatch";
  const object::Value* part = FieldOf(mutation, wanted);
  if (part == nullptr) {
    errors.Required(wanted, "must be specified when patchType is " + std::string(type));
  } else {
    const auto at = errors.At(wanted);
    const std::string_view text = TrimSpace(TextOf(part, "expression"));
    if (text.empty()) {
      errors.Required("expression");
    } else {
      cel::AdmissionNames names = expressions.Names();
      names.patches = true;
      CheckExpression(
          expressions.compiler, text,
          {"expression", text,
           is_json ? cel::AdmissionResult::kPatches : cel::AdmissionResult::kObject, names},
          errors);
    }
  }
  if (FieldOf(mutation, other) != nullptr) {
    errors.Invalid(other, "{" + std::string(other) + "}",
                   "must not be specified when patchType is " + std::string(type));
  }
}

void ValidateMutatingPolicy(const object::Document& object, bool check_conditions,
                            FieldErrors& errors) {
  const object::Value* spec = object.root().Find("spec");
  const auto at = errors.At("spec");
  Expressions expressions(spec, true);
  ValidateMatching(spec, check_conditions, true, expressions, errors);
  const auto mutations = ItemsOf(spec, "mutations");
  if (mutations.empty()) errors.Required("mutations", "mutations must contain at least one item");
  for (size_t i = 0; i < mutations.size(); ++i) {
    const auto at_mutation = errors.At("mutations", i);
    ValidateMutation(mutations[i], expressions, errors);
  }
  ValidateRequiredOneOf(spec, "reinvocationPolicy", {"IfNeeded", "Never"}, errors);
}

// Conditions see the parameters, so that a change of either is a change of both.
bool ChangesConditions(const object::Document& object, const object::Document& old) {
  const object::Value* spec = object.root().Find("spec");
  const object::Value* before = old.root().Find("spec");
  return !SameValue(FieldOf(before, "paramKind"), FieldOf(spec, "paramKind")) ||
         !SameValue(FieldOf(before, "matchConditions"), FieldOf(spec, "matchConditions"));
}

template <void (*Validate)(const object::Document&, bool, FieldErrors&)>
void ValidateNewPolicy(const object::Document& object, FieldErrors& errors) {
  Validate(object, true, errors);
  ValidateStaticName(object, errors);
}

template <void (*Validate)(const object::Document&, bool, FieldErrors&)>
void ValidatePolicyUpdate(const object::Document& object, const object::Document& old,
                          FieldErrors& errors) {
  Validate(object, ChangesConditions(object, old), errors);
}

void ValidateParamRef(const object::Value* spec, FieldErrors& errors) {
  const object::Value* ref = FieldOf(spec, "paramRef");
  if (ref == nullptr) return;
  const auto at = errors.At("paramRef");
  const std::string_view name = TextOf(ref, "name");
  const bool has_selector = FieldOf(ref, "selector") != nullptr;
  constexpr std::string_view kExclusive = "name and selector are mutually exclusive";
  if (!name.empty()) {
    if (!object::IsPathSegmentName(name))
      errors.Invalid("name", name, object::CheckPathSegmentName(name));
    if (has_selector) errors.Forbidden("name", kExclusive);
  }
  ValidateSelector(ref, "selector", false, errors);
  if (has_selector && !name.empty()) errors.Forbidden("selector", kExclusive);
  if (name.empty() && !has_selector) {
    errors.Required("", "one of name or selector must be specified");
  }
  if (TextOf(ref, "parameterNotFoundAction").empty()) {
    errors.Required("parameterNotFoundAction");
  } else {
    ValidateOneOf(TextOf(ref, "parameterNotFoundAction"), {"Deny", "Allow"},
                  "parameterNotFoundAction", errors);
  }
}

void ValidateActions(const object::Value* spec, FieldErrors& errors) {
  const auto actions = TextsOf(spec, "validationActions");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < actions.size(); ++i) {
    const auto at = errors.At("validationActions", i);
    ValidateOneOf(actions[i], {"Audit", "Deny", "Warn"}, "", errors);
    if (!seen.insert(actions[i]).second) errors.Duplicate("", actions[i]);
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    errors.Invalid("validationActions", FieldOf(spec, "validationActions"),
                   "must not contain both Deny and Warn (repeating the same validation failure "
                   "information in the API response and headers serves no purpose)");
  }
  if (seen.empty()) {
    errors.Required("validationActions", "at least one validation action is required");
  }
}

template <bool kIsMutating>
void ValidateBinding(const object::Document& object, FieldErrors& errors) {
  const object::Value* spec = object.root().Find("spec");
  const auto at = errors.At("spec");
  ValidateRequiredFormat(kDnsSubdomainFormat, TextOf(spec, "policyName"), "policyName", errors);
  ValidateParamRef(spec, errors);
  if (const object::Value* match = FieldOf(spec, "matchResources")) {
    const auto at_match = errors.At("matchResources");
    ValidateMatchResources(match, errors);
    if (kIsMutating) ValidateMutatingOperations(match, errors);
  }
  if (!kIsMutating) ValidateActions(spec, errors);
}

template <bool kIsMutating>
void ValidateNewBinding(const object::Document& object, FieldErrors& errors) {
  ValidateBinding<kIsMutating>(object, errors);
  ValidateStaticName(object, errors);
}

template <bool kIsMutating>
void ValidateBindingUpdate(const object::Document& object, const object::Document&,
                           FieldErrors& errors) {
  ValidateBinding<kIsMutating>(object, errors);
}

void ValidatePolicyStatus(const object::Document& object, const object::Document&,
                          FieldErrors& errors) {
  const object::Value* status = object.root().Find("status");
  const auto at = errors.At("status");
  const auto warnings = ItemsOf(FieldOf(status, "typeChecking"), "expressionWarnings");
  for (size_t i = 0; i < warnings.size(); ++i) {
    const auto at_warning = errors.At("typeChecking.expressionWarnings", i);
    ValidateRequired(TextOf(warnings[i], "warning"), "warning", errors);
    ValidateRequired(TrimSpace(TextOf(warnings[i], "fieldRef")), "fieldRef", errors);
  }
  ValidateConditions(object::ListView<views::meta_v1::Condition>(FieldOf(status, "conditions")),
                     "conditions", errors);
}

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

}  // namespace

const KindRules kValidatingAdmissionPolicyRules = {
    .group = kGroup,
    .kind = "ValidatingAdmissionPolicy",
    .create = ValidateNewPolicy<ValidateValidatingPolicy>,
    .update = ValidatePolicyUpdate<ValidateValidatingPolicy>,
    .status = ValidatePolicyStatus,
    .warn = WarnAboutStaticName};
const KindRules kValidatingAdmissionPolicyBindingRules = {
    .group = kGroup,
    .kind = "ValidatingAdmissionPolicyBinding",
    .create = ValidateNewBinding<false>,
    .update = ValidateBindingUpdate<false>,
    .warn = WarnAboutStaticName};
const KindRules kMutatingAdmissionPolicyRules = {
    .group = kGroup,
    .kind = "MutatingAdmissionPolicy",
    .create = ValidateNewPolicy<ValidateMutatingPolicy>,
    .update = ValidatePolicyUpdate<ValidateMutatingPolicy>,
    .warn = WarnAboutStaticName};
const KindRules kMutatingAdmissionPolicyBindingRules = {.group = kGroup,
                                                        .kind = "MutatingAdmissionPolicyBinding",
                                                        .create = ValidateNewBinding<true>,
                                                        .update = ValidateBindingUpdate<true>,
                                                        .warn = WarnAboutStaticName};

}  // namespace skiff::apiserver
