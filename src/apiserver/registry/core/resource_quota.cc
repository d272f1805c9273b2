#include "apiserver/registry/core/resource_quota.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "apiserver/registry/core/resources.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kStandardNames[] = {
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
};
constexpr std::string_view kPodNames[] = {
    "pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};
constexpr std::string_view kScopes[] = {
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "VolumeAttributesClass",
    "CrossNamespacePodAffinity",
};

template <size_t n>
bool IsOneOf(std::string_view text, const std::string_view (&all)[n]) {
  return std::ranges::find(all, text) != std::end(all);
}

bool IsStandardQuotaName(std::string_view name) {
  return IsOneOf(name, kStandardNames) || IsHugePageResource(name) ||
         name.starts_with("requests.hugepages-");
}

bool MayScopeCount(std::string_view scope, std::string_view name) {
  if (scope == "BestEffort") return name == "pods";
  if (scope == "VolumeAttributesClass") {
    return name == "persistentvolumeclaims" || name == "requests.storage";
  }
  return !IsOneOf(scope, kScopes) || IsOneOf(name, kPodNames);
}

void ValidateAmounts(const object::MapView<std::string_view>& amounts, std::string_view field,
                     FieldErrors& errors) {
  for (const auto& [name, quantity] : amounts) {
    const auto at = errors.AtKey(field, name);
    ValidateResourceName(name, errors);
    if (name.find('/') == std::string_view::npos && !IsStandardQuotaName(name)) {
      errors.Invalid("", name, "must be a standard resource for quota");
    }
    ValidateResourceQuantity(name, quantity, errors);
  }
}

// How many of the standard names of a quota each scope does not count, found out once.
class UncountedNames {
 public:
  explicit UncountedNames(const core::ResourceQuotaSpec& spec) : spec_(spec) {}

  size_t Of(std::string_view scope) {
    const auto [known, is_new] = counts_.try_emplace(scope, 0);
    if (!is_new) return known->second;
    for (const auto& [name, quantity] : spec_.hard()) {
      known->second += IsStandardQuotaName(name) && !MayScopeCount(scope, name) ? 1 : 0;
    }
    return known->second;
  }

 private:
  core::ResourceQuotaSpec spec_;
  std::map<std::string_view, size_t> counts_;
};

// One fault for each name that the scope does not count.
void ValidateCounted(size_t uncounted, std::string_view field, const ShownValue& shown,
                     FieldErrors& errors) {
  for (; uncounted != 0 && !errors.full(); --uncounted) {
    errors.Invalid(field, shown, "unsupported scope applied to resource");
  }
  errors.LeaveOut(uncounted);
}

void ValidateConflicts(const std::vector<std::string_view>& scopes, std::string_view field,
                       const ShownValue& shown, FieldErrors& errors) {
  const auto has = [&scopes](std::string_view scope) {
    return std::ranges::find(scopes, scope) != scopes.end();
  };
  if (has("BestEffort") && has("NotBestEffort")) errors.Invalid(field, shown, "conflicting scopes");
  if (has("Terminating") && has("NotTerminating")) {
    errors.Invalid(field, shown, "conflicting scopes");
  }
}

void ValidateExpression(const core::ScopedResourceSelectorRequirement& expression,
                        FieldErrors& errors) {
  const std::string_view scope = expression.scope_name();
  const std::string_view operation = expression.operator_();
  const bool is_flag =
      IsOneOf(scope, kScopes) && scope != "PriorityClass" && scope != "VolumeAttributesClass";
  if (is_flag && operation != "Exists") {
    errors.Invalid("operator", operation,
                   "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                   "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                   "ResourceQuotaScopeNotBestEffort or "
                   "ResourceQuotaScopeCrossNamespacePodAffinity");
  }
  if (operation == "In" || operation == "NotIn") {
    if (expression.values().empty()) {
      errors.Required("values",
                      "must be at least one value when `operator` is 'In' or 'NotIn' for scope "
                      "selector");
    }
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (!expression.values().empty()) {
      errors.Invalid(
          "values",
          ShownValue(MemberOf(expression, core::ScopedResourceSelectorRequirement::kValues)),
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    }
  } else {
    errors.Invalid("operator", operation, "not a valid selector operator");
  }
}

// At the spec. Kubernetes reports expressions at their list, whichever is wrong.
void ValidateScopeSelector(const core::ResourceQuotaSpec& spec, FieldErrors& errors) {
  if (!spec.has_scope_selector()) return;
  const auto selector = errors.At("scopeSelector");
  const auto at = errors.At("matchExpressions");
  UncountedNames uncounted(spec);
  std::vector<std::string_view> scopes;
  for (const auto& expression : spec.scope_selector().match_expressions()) {
    const std::string_view scope = expression.scope_name();
    if (!IsOneOf(scope, kScopes)) {
      errors.Invalid("scopeName", scope, "unsupported scope");
    } else {
      ValidateCounted(uncounted.Of(scope), "", spec.scope_selector().AsValue(), errors);
    }
    ValidateExpression(expression, errors);
    scopes.push_back(scope);
  }
  ValidateConflicts(scopes, "", ShownValue(MemberOf(spec, core::ResourceQuotaSpec::kScopes)),
                    errors);
}

void ValidateSpec(const core::ResourceQuotaSpec& spec, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateAmounts(spec.hard(), "hard", errors);
  if (!spec.scopes().empty()) {
    const ShownValue shown(MemberOf(spec, core::ResourceQuotaSpec::kScopes));
    UncountedNames uncounted(spec);
    std::vector<std::string_view> scopes;
    for (const std::string_view scope : spec.scopes()) {
      if (!IsOneOf(scope, kScopes)) {
        errors.Invalid("scopes", shown, "unsupported scope");
      } else {
        ValidateCounted(uncounted.Of(scope), "scopes", shown, errors);
      }
      scopes.push_back(scope);
    }
    ValidateConflicts(scopes, "scopes", shown, errors);
  }
  ValidateScopeSelector(spec, errors);
}

void ValidateResourceQuota(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(core::ResourceQuota(object).spec(), errors);
}

std::vector<std::string_view> ScopesOf(const core::ResourceQuotaSpec& spec) {
  std::vector<std::string_view> out;
  for (const std::string_view scope : spec.scopes()) out.push_back(scope);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void ValidateResourceQuotaUpdate(const object::Document& object, const object::Document& old,
                                 FieldErrors& errors) {
  const core::ResourceQuotaSpec spec = core::ResourceQuota(object).spec();
  ValidateSpec(spec, errors);
  if (ScopesOf(spec) == ScopesOf(core::ResourceQuota(old).spec())) return;
  errors.Invalid("spec.scopes", ShownValue(MemberOf(spec, core::ResourceQuotaSpec::kScopes)),
                 kIsImmutable);
}

void ValidateResourceQuotaStatus(const object::Document& object, const object::Document&,
                                 FieldErrors& errors) {
  const core::ResourceQuotaStatus status = core::ResourceQuota(object).status();
  const auto at = errors.At("status");
  ValidateAmounts(status.hard(), "hard", errors);
  ValidateAmounts(status.used(), "used", errors);
}

void WarnAboutResourceQuota(const object::Document& object, const object::Document* old,
                            const KindSettings&, std::vector<std::string>& warnings) {
  if (old != nullptr) return;
  const auto hard = core::ResourceQuota(object).spec().hard();
  for (const std::string_view name : {"cpu", "memory", "ephemeral-storage"}) {
    std::string request_name = "requests." + std::string(name);
    const std::string limit_name = "limits." + std::string(name);
    if (!hard.Contains(request_name) && name != "ephemeral-storage") request_name = name;
    const std::optional<std::string_view> request = hard.Find(request_name);
    const std::optional<std::string_view> limit = hard.Find(limit_name);
    if (!request || !limit || ParsedQuantity(*request) <= ParsedQuantity(*limit)) continue;
    warnings.push_back("ResourceQuota " + request_name + " (" + std::string(*request) +
                       ") should be less than " + limit_name + " (" + std::string(*limit) + ")");
  }
}

}  // namespace

constinit const KindRules kResourceQuotaRules = {.group = "",
                                                 .kind = "ResourceQuota",
                                                 .create = ValidateResourceQuota,
                                                 .update = ValidateResourceQuotaUpdate,
                                                 .status = ValidateResourceQuotaStatus,
                                                 .warn = WarnAboutResourceQuota};

}  // namespace skiff::apiserver
