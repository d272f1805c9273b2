#include "quota/evaluator.h"

#include <algorithm>
#include <utility>

#include "quota/evaluators.h"

namespace skiff::quota {
namespace {

namespace core = views::core_v1;

struct ResourceKey {
  std::string_view group;
  std::string_view resource;
  friend bool operator==(const ResourceKey&, const ResourceKey&) = default;
};

constexpr ResourceKey kExempt[] = {
    {"", "bindings"},
    {"", "componentstatuses"},
    {"", "events"},
    {"events.k8s.io", "events"},
    {"authentication.k8s.io", "tokenreviews"},
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authorization.k8s.io", "subjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "localsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
};

// Counted by their bare name too, which is older than count/.
constexpr std::string_view kCountedByName[] = {"configmaps", "resourcequotas",
                                               "replicationcontrollers", "secrets"};

class CountEvaluator final : public QuotaEvaluator {
 public:
  CountEvaluator(std::string_view group, std::string_view resource)
      : names_{ObjectCountName(group, resource)} {
    if (group.empty() && std::ranges::find(kCountedByName, resource) != std::end(kCountedByName)) {
      names_.emplace(resource);
    }
  }

  bool Handles(QuotaEvent event, std::string_view subresource, const object::Document*,
               const object::Document&) const override {
    return event == QuotaEvent::kCreate && subresource.empty();
  }
  ResourceNames Matching(const ResourceNames& names) const override {
    ResourceNames out;
    std::ranges::set_intersection(names, names_, std::inserter(out, out.end()));
    return out;
  }
  ResourceList Usage(const object::Document&, object::Timestamp) const override {
    ResourceList out;
    for (const std::string& name : names_) out.emplace(name, object::Quantity(1));
    return out;
  }

 private:
  ResourceNames names_;
};

}  // namespace

ScopeRule::ScopeRule(const core::ScopedResourceSelectorRequirement& requirement)
    : scope(requirement.scope_name()), op(requirement.operator_()) {
  for (const std::string_view value : requirement.values()) values.emplace_back(value);
}

std::string ScopeRule::ToString() const {
  std::string out = "{" + scope + " " + op + " [";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ' ';
    out += values[i];
  }
  return out + "]}";
}

std::vector<ScopeRule> ScopesOf(const core::ResourceQuota& quota) {
  std::vector<ScopeRule> out;
  for (const std::string_view scope : quota.spec().scopes()) out.emplace_back(scope);
  for (const auto requirement : quota.spec().scope_selector().match_expressions()) {
    out.emplace_back(requirement);
  }
  return out;
}

std::unique_ptr<QuotaEvaluator> MakeQuotaEvaluator(std::string_view group,
                                                   std::string_view resource,
                                                   const QuotaLookups& lookups) {
  if (group.empty() && resource == "pods") return MakePodEvaluator();
  if (group.empty() && resource == "services") return MakeServiceEvaluator();
  if (group.empty() && resource == "persistentvolumeclaims") return MakeVolumeClaimEvaluator();
  if (group == "resource.k8s.io" && resource == "resourceclaims") {
    return MakeDeviceClaimEvaluator(lookups);
  }
  return std::make_unique<CountEvaluator>(group, resource);
}

bool IsExemptFromQuotas(std::string_view group, std::string_view resource) {
  return std::ranges::find(kExempt, ResourceKey{group, resource}) != std::end(kExempt);
}

std::string ObjectCountName(std::string_view group, std::string_view resource) {
  std::string out = "count/" + std::string(resource);
  if (!group.empty()) out += "." + std::string(group);
  return out;
}

Result<bool> QuotaCovers(const QuotaEvaluator& evaluator, const core::ResourceQuota& quota,
                         const object::Document& object) {
  bool in_all = true;
  for (const ScopeRule& rule : ScopesOf(quota)) {
    SKIFF_ASSIGN_OR_RETURN(const bool in, evaluator.IsInScope(rule, object));
    in_all &= in;
  }
  return in_all && !evaluator.Matching(NamesOf(ToResourceList(quota.status().hard()))).empty();
}

Result<bool> ScopeSelects(const ScopeRule& rule, const std::optional<std::string_view>& value) {
  const auto op = [&]() -> std::optional<object::LabelOperator> {
    if (rule.op == "In") return object::LabelOperator::kIn;
    if (rule.op == "NotIn") return object::LabelOperator::kNotIn;
    if (rule.op == "Exists") return object::LabelOperator::kExists;
    if (rule.op == "DoesNotExist") return object::LabelOperator::kDoesNotExist;
    return std::nullopt;
  }();
  if (!op) {
    return Fail(StatusReason::kUnknown, "failed to parse and convert selector: \"" + rule.op +
                                            "\" is not a valid scope selector operator");
  }
  SKIFF_ASSIGN_OR_RETURN(const object::LabelRequirement requirement,
                         object::LabelRequirement::Make(rule.scope, *op, rule.values));
  return requirement.Holds(value ? &*value : nullptr);
}

bool IsExtendedQuotaName(std::string_view name) {
  if (!name.starts_with("requests.")) return false;
  const bool is_native = name.find('/') == std::string_view::npos ||
                         name.find("kubernetes.io/") != std::string_view::npos;
  return !is_native || name.starts_with("requests.deviceclass.resource.kubernetes.io/");
}

}  // namespace skiff::quota
