#include "apiserver/registry/batch/pod_failure_policy.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace batch = views::batch_v1;

constexpr size_t kMaxRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxConditions = 20;

SeenNames ContainerNames(const batch::JobSpec& spec) {
  SeenNames out;
  const auto pod = spec.template_().spec();
  for (const auto container : pod.containers()) out.Add(container.name());
  for (const auto container : pod.init_containers()) out.Add(container.name());
  return out;
}

void ValidateRequiredOneOf(std::string_view text, std::initializer_list<std::string_view> supported,
                           std::string_view field, FieldErrors& errors) {
  if (text.empty()) {
    std::string why;
    for (const std::string_view each : supported) {
      why += why.empty() ? "valid values: [" : " ";
      why += ShownValue(each).json();
    }
    return errors.Required(field, why + "]");
  }
  ValidateOneOf(text, supported, field, errors);
}

void ValidateExitCodes(const batch::PodFailurePolicyOnExitCodesRequirement& codes,
                       const SeenNames& containers, FieldErrors& errors) {
  const auto at = errors.At("onExitCodes");
  ValidateRequiredOneOf(codes.operator_(), {"In", "NotIn"}, "operator", errors);
  if (const auto name = codes.container_name(); name && !containers.Has(*name)) {
    errors.Invalid("containerName", *name,
                   "must be one of the container or initContainer names in the pod template");
  }
  const auto values = codes.values();
  const object::Value* list = codes.AsValue()->Find("values");
  if (values.empty()) {
    errors.Invalid("values", list, "at least one value is required");
  } else if (values.size() > kMaxExitCodes) {
    errors.TooMany("values", values.size(), kMaxExitCodes);
  }
  bool ordered = true;
  std::set<int32_t> seen;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at_value = errors.At("values", i);
    if (codes.operator_() == "In" && values[i] == 0) {
      errors.Invalid("", 0, "must not be 0 for the In operator");
    }
    if (!seen.insert(values[i]).second) errors.Duplicate("", values[i]);
    if (i > 0 && values[i - 1] > values[i]) ordered = false;
  }
  if (!ordered) errors.Invalid("values", list, "must be ordered");
}

void ValidateConditionPatterns(const batch::PodFailurePolicyRule& rule, FieldErrors& errors) {
  const auto patterns = rule.on_pod_conditions();
  if (patterns.size() > kMaxConditions) {
    errors.TooMany("onPodConditions", patterns.size(), kMaxConditions);
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    const auto at = errors.At("onPodConditions", i);
    ValidateFormat(kQualifiedNameFormat, patterns[i].type(), "type", errors);
    ValidateRequiredOneOf(patterns[i].status(), {"False", "True", "Unknown"}, "status", errors);
  }
}

void ValidateRule(const batch::PodFailurePolicyRule& rule, const batch::JobSpec& spec,
                  const SeenNames& containers, FieldErrors& errors) {
  if (rule.action() != "FailIndex") {
    ValidateRequiredOneOf(rule.action(), {"Count", "FailIndex", "FailJob", "Ignore"}, "action",
                          errors);
  } else if (!spec.backoff_limit_per_index()) {
    errors.Invalid("action", rule.action(), "requires the backoffLimitPerIndex to be set");
  }
  const bool has_codes = rule.has_on_exit_codes();
  const bool has_conditions = !rule.on_pod_conditions().empty();
  if (has_codes) ValidateExitCodes(rule.on_exit_codes(), containers, errors);
  if (has_conditions) ValidateConditionPatterns(rule, errors);
  if (has_codes && has_conditions) {
    errors.Invalid("", ShownValue::Omitted(),
                   "specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (!has_codes && !has_conditions) {
    errors.Invalid("", ShownValue::Omitted(),
                   "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

}  // namespace

void ValidatePodFailurePolicy(const batch::JobSpec& spec, FieldErrors& errors) {
  const auto at = errors.At("podFailurePolicy");
  const auto rules = spec.pod_failure_policy().rules();
  if (rules.size() > kMaxRules) errors.TooMany("rules", rules.size(), kMaxRules);
  const SeenNames containers = ContainerNames(spec);
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto at_rule = errors.At("rules", i);
    ValidateRule(rules[i], spec, containers, errors);
  }
}

}  // namespace skiff::apiserver
