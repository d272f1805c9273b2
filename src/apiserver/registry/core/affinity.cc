#include "apiserver/registry/core/affinity.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace meta = views::meta_v1;

constexpr int kMaxWeight = 100;

void ValidateNodeRequirement(const core::NodeSelectorRequirement& requirement,
                             bool allow_invalid_values, FieldErrors& errors) {
  const std::string_view op = requirement.operator_();
  const auto values = requirement.values();
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.Required("values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.Forbidden("values",
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) {
      errors.Required("values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.Invalid("operator", op, "not a valid selector operator");
  }
  ValidateFormat(kQualifiedNameFormat, requirement.key(), "key", errors);
  if (allow_invalid_values) return;
  for (size_t i = 0; i < values.size(); ++i) {
    if (object::IsLabelValue(values[i])) continue;
    const auto at = errors.At("values", i);
    ValidateFormat(kLabelValueFormat, values[i], "", errors);
  }
}

void ValidateNodeFieldRequirement(const core::NodeSelectorRequirement& requirement,
                                  FieldErrors& errors) {
  const std::string_view op = requirement.operator_();
  const auto values = requirement.values();
  if (op != "In" && op != "NotIn") {
    errors.Invalid("operator", op, "not a valid selector operator");
  } else if (values.size() != 1) {
    errors.Required("values",
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                    "selector");
  }
  if (requirement.key() != "metadata.name") {
    return errors.Invalid("key", requirement.key(), "not a valid field selector key");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = errors.At("values", i);
    ValidateFormat(kDnsSubdomainFormat, values[i], "", errors);
  }
}

// Of terms that are wished for, not required.
void ValidateWeight(int32_t weight, FieldErrors& errors) {
  if (weight <= 0 || weight > kMaxWeight) {
    errors.Invalid("weight", weight, "must be in the range 1-100");
  }
}

void ValidateLabelKeys(const object::ListView<std::string_view>& keys, std::string_view field,
                       bool has_selector, FieldErrors& errors) {
  if (keys.empty()) return;
  if (!has_selector) {
    return errors.Forbidden(field, "must not be specified when labelSelector is not set");
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    if (object::IsQualifiedName(keys[i])) continue;
    const auto at = errors.At(field, i);
    ValidateFormat(kQualifiedNameFormat, keys[i], "", errors);
  }
}

// matchLabelKeys are in the selector too by now. A key that is there twice was in it before.
void ValidateMatchLabelKeys(const object::ListView<std::string_view>& match,
                            const object::ListView<std::string_view>& mismatch, bool has_selector,
                            const meta::LabelSelector& selector, FieldErrors& errors) {
  if (match.empty() && mismatch.empty()) return;
  ValidateLabelKeys(match, "matchLabelKeys", has_selector, errors);
  ValidateLabelKeys(mismatch, "mismatchLabelKeys", has_selector, errors);
  if (!match.empty() && has_selector) {
    SeenNames seen;
    for (const auto& [key, value] : selector.match_labels()) seen.Add(key);
    std::map<std::string_view, size_t> last_places;
    for (size_t i = 0; i < match.size(); ++i) last_places[match[i]] = i;
    for (const meta::LabelSelectorRequirement requirement : selector.match_expressions()) {
      const bool is_new = seen.Add(requirement.key());
      const auto found = last_places.find(requirement.key());
      if (is_new || found == last_places.end()) continue;
      const auto at = errors.At("", found->second);
      errors.Invalid("", requirement.key(), "exists in both matchLabelKeys and labelSelector");
    }
  }
  if (mismatch.empty()) return;
  const SeenNames mismatched = SeenNames::Of(mismatch);
  for (size_t i = 0; i < match.size(); ++i) {
    if (!mismatched.Has(match[i])) continue;
    const auto at = errors.At("matchLabelKeys", i);
    errors.Invalid("", match[i], "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void ValidateSelectors(const core::PodAffinityTerm& term, bool allow_invalid_values,
                       FieldErrors& errors) {
  const LabelSelectorOptions options{.allow_invalid_values = allow_invalid_values};
  if (term.has_label_selector()) {
    const auto at = errors.At("labelSelector");
    ValidateLabelSelector(term.label_selector(), options, errors);
  }
  if (term.has_namespace_selector()) {
    const auto at = errors.At("namespaceSelector");
    ValidateLabelSelector(term.namespace_selector(), options, errors);
  }
}

void ValidatePodAffinityTerm(const core::PodAffinityTerm& term, bool allow_invalid_values,
                             FieldErrors& errors) {
  ValidateSelectors(term, allow_invalid_values, errors);
  for (const std::string_view name : term.namespaces()) {
    ValidateFormat(kDnsLabelFormat, name, "namespace", errors);
  }
  ValidateMatchLabelKeys(term.match_label_keys(), term.mismatch_label_keys(),
                         term.has_label_selector(), term.label_selector(), errors);
  if (term.topology_key().empty()) errors.Required("topologyKey", "can not be empty");
  ValidateFormat(kQualifiedNameFormat, term.topology_key(), "topologyKey", errors);
}

// podAffinity or podAntiAffinity.
template <typename PodAffinity>
void ValidatePodAffinity(const PodAffinity& affinity, bool allow_invalid_values,
                         FieldErrors& errors) {
  const auto required = affinity.required_during_scheduling_ignored_during_execution();
  for (size_t i = 0; i < required.size(); ++i) {
    const auto at = errors.At("requiredDuringSchedulingIgnoredDuringExecution", i);
    ValidatePodAffinityTerm(required[i], allow_invalid_values, errors);
  }
  const auto preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  for (size_t i = 0; i < preferred.size(); ++i) {
    const auto at = errors.At("preferredDuringSchedulingIgnoredDuringExecution", i);
    ValidateWeight(preferred[i].weight(), errors);
    const auto term = errors.At("podAffinityTerm");
    ValidatePodAffinityTerm(preferred[i].pod_affinity_term(), allow_invalid_values, errors);
  }
}

bool IsDecimalInteger(std::string_view text) {
  if (text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.front() == '0') return false;
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

void ValidateComparing(const core::Toleration& toleration, const PodOptions& options,
                       FieldErrors& errors) {
  if (!options.allow_comparing_tolerations && !errors.IsOn("TaintTolerationComparisonOperators")) {
    return errors.NotSupported("operator", toleration.operator_(), {"Equal", "Exists", "Lt", "Gt"});
  }
  const std::string_view value = toleration.value();
  if (!IsDecimalInteger(value)) {
    errors.Invalid("value", value, "must be a valid decimal integer in canonical form");
  }
  int64_t number = 0;
  const char* begin = value.data() + (value.starts_with('+') ? 1 : 0);
  const char* end = value.data() + value.size();
  const auto read = std::from_chars(begin, end, number);
  if (read.ec != std::errc() || read.ptr != end) {
    errors.Invalid("value", value, "is not a number of 64 bits");
  }
}

void ValidateToleration(const core::Toleration& toleration, const PodOptions& options,
                        FieldErrors& errors) {
  const std::string_view op = toleration.operator_();
  if (!toleration.key().empty()) {
    ValidateFormat(kQualifiedNameFormat, toleration.key(), "key", errors);
  } else if (op != "Exists") {
    errors.Invalid(
        "operator", op,
        "operator must be Exists when `key` is empty, which means \"match all values and "
        "all keys\"");
  }
  if (toleration.toleration_seconds() && toleration.effect() != "NoExecute") {
    errors.Invalid("effect", toleration.effect(),
                   "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op.empty() || op == "Equal") {
    if (!object::IsLabelValue(toleration.value())) {
      std::string why;
      for (const std::string& each : object::CheckLabelValue(toleration.value())) {
        why += (why.empty() ? "" : ";") + each;
      }
      errors.Invalid("operator", toleration.value(), why);
    }
  } else if (op == "Exists") {
    if (!toleration.value().empty()) {
      errors.Invalid("operator", toleration.value(),
                     "value must be empty when `operator` is 'Exists'");
    }
  } else if (op == "Lt" || op == "Gt") {
    ValidateComparing(toleration, options, errors);
  } else {
    errors.NotSupported("operator", op, {"Equal", "Exists"});
  }
  if (!toleration.effect().empty()) {
    ValidateOneOf(toleration.effect(), {"NoSchedule", "PreferNoSchedule", "NoExecute"}, "effect",
                  errors);
  }
}

// As it was done before keys were merged into the selector.
void ValidateUnmergedLabelKeys(const core::TopologySpreadConstraint& constraint,
                               FieldErrors& errors) {
  const auto keys = constraint.match_label_keys();
  if (keys.empty()) return;
  if (!constraint.has_label_selector()) {
    errors.Forbidden("matchLabelKeys", "must not be specified when labelSelector is not set");
  }
  const meta::LabelSelector selector = constraint.label_selector();
  SeenNames selected;
  for (const auto& [key, value] : selector.match_labels()) selected.Add(key);
  for (const meta::LabelSelectorRequirement each : selector.match_expressions()) {
    selected.Add(each.key());
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto at = errors.At("matchLabelKeys", i);
    ValidateFormat(kQualifiedNameFormat, keys[i], "", errors);
    if (selected.Has(keys[i])) {
      errors.Invalid("", keys[i], "exists in both matchLabelKeys and labelSelector");
    }
  }
}

void ValidateMinDomains(const core::TopologySpreadConstraint& constraint, FieldErrors& errors) {
  const std::optional<int32_t> domains = constraint.min_domains();
  if (!domains) return;
  ValidatePositive(*domains, "minDomains", errors);
  if (constraint.when_unsatisfiable() != "DoNotSchedule") {
    errors.Invalid("minDomains", *domains,
                   "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                       std::string(constraint.when_unsatisfiable()));
  }
}

void ValidateConstraint(const core::TopologySpreadConstraint& constraint, bool is_repeated,
                        const PodOptions& options, FieldErrors& errors) {
  ValidatePositive(constraint.max_skew(), "maxSkew", errors);
  if (constraint.topology_key().empty()) errors.Required("topologyKey", "can not be empty");
  ValidateOneOf(constraint.when_unsatisfiable(), {"DoNotSchedule", "ScheduleAnyway"},
                "whenUnsatisfiable", errors);
  if (is_repeated) {
    errors.Duplicate("{topologyKey, whenUnsatisfiable}",
                     "{" + std::string(constraint.topology_key()) + ", " +
                         std::string(constraint.when_unsatisfiable()) + "}");
  }
  ValidateMinDomains(constraint, errors);
  if (const auto policy = constraint.node_affinity_policy()) {
    ValidateOneOf(*policy, {"Honor", "Ignore"}, "nodeAffinityPolicy", errors);
  }
  if (const auto policy = constraint.node_taints_policy()) {
    ValidateOneOf(*policy, {"Honor", "Ignore"}, "nodeTaintsPolicy", errors);
  }
  if (options.has_unmerged_match_label_keys) {
    ValidateUnmergedLabelKeys(constraint, errors);
  } else {
    ValidateMatchLabelKeys(constraint.match_label_keys(), {}, constraint.has_label_selector(),
                           constraint.label_selector(), errors);
  }
  if (!options.allow_invalid_spread_selector && constraint.has_label_selector()) {
    const auto at = errors.At("labelSelector");
    ValidateLabelSelector(constraint.label_selector(), {}, errors);
  }
}

}  // namespace

void ValidateNodeSelectorTerm(const core::NodeSelectorTerm& term, bool allow_invalid_values,
                              FieldErrors& errors) {
  const auto expressions = term.match_expressions();
  for (size_t i = 0; i < expressions.size(); ++i) {
    const auto at = errors.At("matchExpressions", i);
    ValidateNodeRequirement(expressions[i], allow_invalid_values, errors);
  }
  const auto fields = term.match_fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto at = errors.At("matchFields", i);
    ValidateNodeFieldRequirement(fields[i], errors);
  }
}

void ValidateNodeSelector(const core::NodeSelector& selector, bool allow_invalid_values,
                          FieldErrors& errors) {
  const auto terms = selector.node_selector_terms();
  if (terms.empty()) {
    return errors.Required("nodeSelectorTerms", "must have at least one node selector term");
  }
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto at = errors.At("nodeSelectorTerms", i);
    ValidateNodeSelectorTerm(terms[i], allow_invalid_values, errors);
  }
}

void ValidateAffinity(const core::Affinity& affinity, const PodOptions& options,
                      FieldErrors& errors) {
  const auto at = errors.At("affinity");
  if (affinity.has_node_affinity()) {
    const auto node = errors.At("nodeAffinity");
    const core::NodeAffinity wanted = affinity.node_affinity();
    if (wanted.has_required_during_scheduling_ignored_during_execution()) {
      const auto required = errors.At("requiredDuringSchedulingIgnoredDuringExecution");
      ValidateNodeSelector(wanted.required_during_scheduling_ignored_during_execution(),
                           options.allow_invalid_values_in_required_node_affinity, errors);
    }
    const auto preferred = wanted.preferred_during_scheduling_ignored_during_execution();
    for (size_t i = 0; i < preferred.size(); ++i) {
      const auto term = errors.At("preferredDuringSchedulingIgnoredDuringExecution", i);
      ValidateWeight(preferred[i].weight(), errors);
      const auto preference = errors.At("preference");
      ValidateNodeSelectorTerm(preferred[i].preference(), true, errors);
    }
  }
  const bool allow_invalid_values = options.allow_invalid_values_in_affinity;
  if (affinity.has_pod_affinity()) {
    const auto pod = errors.At("podAffinity");
    ValidatePodAffinity(affinity.pod_affinity(), allow_invalid_values, errors);
  }
  if (affinity.has_pod_anti_affinity()) {
    const auto pod = errors.At("podAntiAffinity");
    ValidatePodAffinity(affinity.pod_anti_affinity(), allow_invalid_values, errors);
  }
}

void ValidateTolerations(const object::ListView<core::Toleration>& tolerations,
                         std::string_view field, const PodOptions& options, FieldErrors& errors) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const auto at = errors.At(field, i);
    ValidateToleration(tolerations[i], options, errors);
  }
}

void ValidateTopologySpread(const object::ListView<core::TopologySpreadConstraint>& constraints,
                            const PodOptions& options, FieldErrors& errors) {
  // Those that come again later.
  std::vector<bool> is_repeated(constraints.size());
  std::set<std::pair<std::string_view, std::string_view>> later;
  for (size_t i = constraints.size(); i-- > 0;) {
    const core::TopologySpreadConstraint each = constraints[i];
    is_repeated[i] = !later.emplace(each.topology_key(), each.when_unsatisfiable()).second;
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    const auto at = errors.At("topologySpreadConstraints", i);
    ValidateConstraint(constraints[i], is_repeated[i], options, errors);
  }
}

bool HasValidSelectors(const core::PodAffinityTerm& term) {
  FieldErrors errors(kDefaultSettings);
  ValidateSelectors(term, false, errors);
  return errors.empty();
}

bool HasValidSelector(const core::TopologySpreadConstraint& constraint) {
  FieldErrors errors(kDefaultSettings);
  ValidateLabelSelector(constraint.label_selector(), {}, errors);
  return errors.empty();
}

bool HasValidMatchLabelKeys(const core::TopologySpreadConstraint& constraint) {
  FieldErrors errors(kDefaultSettings);
  ValidateMatchLabelKeys(constraint.match_label_keys(), {}, constraint.has_label_selector(),
                         constraint.label_selector(), errors);
  return errors.empty();
}

}  // namespace skiff::apiserver
