#include "apiserver/registry/rbac/role.h"

#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

void ValidatePolicyRule(const rbac::PolicyRule& rule, bool in_namespace, FieldErrors& errors) {
  if (rule.verbs().empty()) errors.Required("verbs", "verbs must contain at least one value");
  if (!rule.non_resource_urls().empty()) {
    const ShownValue urls(MemberOf(rule, rbac::PolicyRule::kNonResourceURLs));
    if (in_namespace) {
      errors.Invalid("nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs");
    }
    if (!rule.api_groups().empty() || !rule.resources().empty() || !rule.resource_names().empty()) {
      errors.Invalid("nonResourceURLs", urls,
                     "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.api_groups().empty()) {
    errors.Required("apiGroups", "resource rules must supply at least one api group");
  }
  if (rule.resources().empty()) {
    errors.Required("resources", "resource rules must supply at least one resource");
  }
}

void ValidatePolicyRules(const object::ListView<rbac::PolicyRule>& rules, bool in_namespace,
                         FieldErrors& errors) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto at = errors.At("rules", i);
    ValidatePolicyRule(rules[i], in_namespace, errors);
  }
}

void ValidateRole(const object::Document& object, FieldErrors& errors) {
  ValidatePolicyRules(rbac::Role(object).rules(), true, errors);
}

void ValidateRoleUpdate(const object::Document& object, const object::Document&,
                        FieldErrors& errors) {
  ValidateRole(object, errors);
}

void ValidateAggregation(const rbac::ClusterRole& role, const LabelSelectorOptions& options,
                         FieldErrors& errors) {
  if (!role.has_aggregation_rule()) return;
  const auto rule = errors.At("aggregationRule");
  const auto selectors = role.aggregation_rule().cluster_role_selectors();
  if (selectors.empty()) {
    errors.Required("clusterRoleSelectors",
                    "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (size_t i = 0; i < selectors.size(); ++i) {
    const auto at = errors.At("clusterRoleSelectors", i);
    const size_t before = errors.size();
    ValidateLabelSelector(selectors[i], options, errors);
    if (errors.size() != before || HasInvalidLabelValue(selectors[i])) {
      // Kubernetes shows what it read, which is nothing.
      errors.Invalid("", static_cast<const object::Value*>(nullptr), "invalid label selector.");
    }
  }
}

void ValidateClusterRole(const object::Document& object, FieldErrors& errors) {
  const rbac::ClusterRole role(object);
  ValidatePolicyRules(role.rules(), false, errors);
  ValidateAggregation(role, {}, errors);
}

void ValidateClusterRoleUpdate(const object::Document& object, const object::Document& old,
                               FieldErrors& errors) {
  const rbac::ClusterRole role(object);
  ValidatePolicyRules(role.rules(), false, errors);
  LabelSelectorOptions options;
  for (const auto& selector : rbac::ClusterRole(old).aggregation_rule().cluster_role_selectors()) {
    options.allow_invalid_values |= HasInvalidLabelValue(selector);
  }
  ValidateAggregation(role, options, errors);
}

}  // namespace

constinit const KindRules kRoleRules = {.group = "rbac.authorization.k8s.io",
                                        .kind = "Role",
                                        .create = ValidateRole,
                                        .update = ValidateRoleUpdate};
constinit const KindRules kClusterRoleRules = {.group = "rbac.authorization.k8s.io",
                                               .kind = "ClusterRole",
                                               .create = ValidateClusterRole,
                                               .update = ValidateClusterRoleUpdate};

}  // namespace skiff::apiserver
