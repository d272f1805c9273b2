#include "apiserver/authz/aggregation.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "object/equal.h"
#include "object/selector/label_selector.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

bool SelectsLabels(const Value* selector, const Document& role) {
  const auto parsed = LabelSelector::FromValue(selector);
  return parsed && parsed->Matches(role.root().FindPath({"metadata", "labels"}));
}

}  // namespace

std::optional<Document> WithAggregatedRules(const Document& role,
                                            std::span<const Document> cluster_roles) {
  const auto view = ViewAs<rbac::ClusterRole>(role);
  if (!view || !view->has_aggregation_rule()) return std::nullopt;
  std::map<std::string_view, const Document*> sources;
  for (const auto selector : view->aggregation_rule().cluster_role_selectors()) {
    for (const Document& other : cluster_roles) {
      const rbac::ClusterRole source(other);
      if (source.metadata().name() == view->metadata().name()) continue;
      if (!SelectsLabels(selector.AsValue(), other)) continue;
      sources.emplace(source.metadata().name(), &other);
    }
  }
  Document result = role.Copy();
  Value rules = Value::EmptyList();
  for (const auto& [name, source] : sources) {
    const Value* theirs = source->root().Find("rules");
    if (theirs == nullptr) continue;
    for (const Value& rule : theirs->items()) {
      const auto items = rules.items();
      const bool known = std::any_of(items.begin(), items.end(),
                                     [&](const Value& each) { return DeepEqual(each, rule); });
      if (!known) rules.Append(result.arena(), rule.CopyInto(result.arena()));
    }
  }
  result.root().Set(result.arena(), "rules", rules);
  if (DeepEqual(result.root(), role.root())) return std::nullopt;
  return result;
}

}  // namespace skiff
