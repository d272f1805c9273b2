#include "apiserver/authz/aggregation.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "object/equal.h"
#include "object/selector/label_selector.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

bool SelectsLabels(const object::Value* selector, const object::Document& role) {
  const auto parsed = object::LabelSelector::FromValue(selector);
  return parsed && parsed->Matches(role.root().FindPath({"metadata", "labels"}));
}

}  // namespace

std::optional<object::Document> WithAggregatedRules(
    const object::Document& role, std::span<const object::Document> cluster_roles) {
  const auto view = object::ViewAs<rbac::ClusterRole>(role);
  if (!view || !view->has_aggregation_rule()) return std::nullopt;
  std::map<std::string_view, const object::Document*> sources;
  for (const auto selector : view->aggregation_rule().cluster_role_selectors()) {
    for (const object::Document& other : cluster_roles) {
      const rbac::ClusterRole source(other);
      if (source.metadata().name() == view->metadata().name()) continue;
      if (!SelectsLabels(selector.AsValue(), other)) continue;
      sources.emplace(source.metadata().name(), &other);
    }
  }
  object::Document result = role.Copy();
  object::Value rules = object::Value::EmptyList();
  for (const auto& [name, source] : sources) {
    const object::Value* theirs = source->root().Find("rules");
    if (theirs == nullptr) continue;
    for (const object::Value& rule : theirs->items()) {
      const auto items = rules.items();
      const bool known = std::any_of(items.begin(), items.end(), [&](const object::Value& each) {
        return object::DeepEqual(each, rule);
      });
      if (!known) rules.Append(result.arena(), rule.CopyInto(result.arena()));
    }
  }
  result.root().Set(result.arena(), "rules", rules);
  if (object::DeepEqual(result.root(), role.root())) return std::nullopt;
  return result;
}

}  // namespace skiff::apiserver
