#include "apiserver/registry/admissionregistration/match_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/registry/admissionregistration/expressions.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMaxMatchConditions = 64;

bool Has(const object::ListView<std::string_view>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// `others` is what messages call the items.
void ValidateListOrAll(const object::Value* rule, std::string_view field, std::string_view others,
                       FieldErrors& errors) {
  const object::ListView<std::string_view> list = TextsOf(rule, field);
  if (list.empty()) errors.Required(field);
  if (list.size() > 1 && Has(list, "*")) {
    errors.Invalid(field, FieldOf(rule, field),
                   "if '*' is present, must not specify other " + std::string(others));
  }
}

// A resource, or one with a subresource; either may be a wildcard.
void ValidateResources(const object::Value* rule, FieldErrors& errors) {
  const object::ListView<std::string_view> resources = TextsOf(rule, "resources");
  if (resources.empty()) errors.Required("resources");
  std::set<std::string_view> with_all_subresources;
  std::set<std::string_view> of_all_resources;
  bool has_plain = false;
  for (size_t i = 0; i < resources.size(); ++i) {
    const auto at = errors.At("resources", i);
    const std::string_view text = resources[i];
    if (text.empty()) {
      errors.Required("");
      continue;
    }
    const size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
      has_plain = text != "*";
      continue;
    }
    const std::string_view resource = text.substr(0, slash);
    const std::string_view subresource = text.substr(slash + 1);
    if (with_all_subresources.contains(resource)) {
      errors.Invalid(
          "", text,
          "if '" + std::string(resource) + "/*' is present, must not specify " + std::string(text));
    }
    if (of_all_resources.contains(subresource)) {
      errors.Invalid("", text,
                     "if '*/" + std::string(subresource) + "' is present, must not specify " +
                         std::string(text));
    }
    if (subresource == "*") with_all_subresources.insert(resource);
    if (resource == "*") of_all_resources.insert(subresource);
  }
  const object::Value* list = FieldOf(rule, "resources");
  if (resources.size() > 1 && Has(resources, "*/*")) {
    errors.Invalid("resources", list, "if '*/*' is present, must not specify other resources");
  }
  if (Has(resources, "*") && has_plain) {
    errors.Invalid("resources", list,
                   "if '*' is present, must not specify other resources without subresources");
  }
}

void ValidateNamedRule(const object::Value* rule, FieldErrors& errors) {
  const object::ListView<std::string_view> names = TextsOf(rule, "resourceNames");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto at = errors.At("resourceNames", i);
    if (!object::IsPathSegmentName(names[i]))
      errors.Invalid("", names[i], object::CheckPathSegmentName(names[i]));
    if (!seen.insert(names[i]).second) errors.Duplicate("", names[i]);
  }
  ValidateRule(rule, errors);
}

}  // namespace

void ValidateRequiredOneOf(const object::Value* message, std::string_view field,
                           std::initializer_list<std::string_view> supported, FieldErrors& errors) {
  if (FieldOf(message, field) == nullptr) return errors.Required(field);
  ValidateOneOf(TextOf(message, field), supported, field, errors);
}

void ValidateRule(const object::Value* rule, FieldErrors& errors) {
  ValidateListOrAll(rule, "operations", "operations", errors);
  const object::ListView<std::string_view> operations = TextsOf(rule, "operations");
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto at = errors.At("operations", i);
    ValidateOneOf(operations[i], {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}, "", errors);
  }
  ValidateListOrAll(rule, "apiGroups", "API groups", errors);
  ValidateListOrAll(rule, "apiVersions", "API versions", errors);
  const object::ListView<std::string_view> versions = TextsOf(rule, "apiVersions");
  for (size_t i = 0; i < versions.size(); ++i) {
    const auto at = errors.At("apiVersions", i);
    ValidateRequired(versions[i], "", errors);
  }
  ValidateResources(rule, errors);
  if (FieldOf(rule, "scope") != nullptr) {
    ValidateOneOf(TextOf(rule, "scope"), {"*", "Cluster", "Namespaced"}, "scope", errors);
  }
}

void ValidateSelector(const object::Value* message, std::string_view field,
                      bool allow_invalid_values, FieldErrors& errors) {
  const object::Value* selector = FieldOf(message, field);
  if (selector == nullptr) return;
  const auto at = errors.At(field);
  ValidateLabelSelector(views::meta_v1::LabelSelector(selector),
                        {.allow_invalid_values = allow_invalid_values}, errors);
}

void ValidateMatchResources(const object::Value* match, FieldErrors& errors) {
  ValidateRequiredOneOf(match, "matchPolicy", {"Equivalent", "Exact"}, errors);
  for (const std::string_view field : {"namespaceSelector", "objectSelector"}) {
    if (FieldOf(match, field) == nullptr) errors.Required(field);
    ValidateSelector(match, field, false, errors);
  }
  for (const std::string_view field : {"resourceRules", "excludeResourceRules"}) {
    const object::ListView<const object::Value*> rules = ItemsOf(match, field);
    for (size_t i = 0; i < rules.size(); ++i) {
      const auto at = errors.At(field, i);
      ValidateNamedRule(rules[i], errors);
    }
  }
}

void ValidateMatchConditions(const object::Value* message, bool has_params, FieldErrors& errors) {
  const object::ListView<const object::Value*> conditions = ItemsOf(message, "matchConditions");
  if (conditions.size() > kMaxMatchConditions) {
    errors.TooMany("matchConditions", conditions.size(), kMaxMatchConditions);
  }
  std::set<std::string_view> names;
  cel::AdmissionCompiler compiler(/*has_variables=*/false);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto at = errors.At("matchConditions", i);
    const std::string_view text = TrimSpace(TextOf(conditions[i], "expression"));
    if (text.empty()) {
      errors.Required("expression");
    } else {
      CheckExpression(compiler, text,
                      {"expression", text, cel::AdmissionResult::kBool, {.params = has_params}},
                      errors);
    }
    const std::string_view name = TextOf(conditions[i], "name");
    ValidateRequiredFormat(kQualifiedNameFormat, name, "name", errors);
    if (!name.empty() && !names.insert(name).second) errors.Duplicate("name", name);
  }
}

}  // namespace skiff::apiserver
