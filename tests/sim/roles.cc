#include "tests/sim/roles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff::sim {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

// Of the lowest, roles have rules of their own; others are made of those below. There are no
// circles: what goes round in one need not come to rest.
constexpr uint64_t kLayers = 3;
constexpr uint64_t kNames = 4;
constexpr uint64_t kRules = 6;
constexpr const char* kGroups[] = {"x", "y"};

const client::ApiResource& ClusterRoles() {
  return client::BuiltIn("rbac.authorization.k8s.io", "v1", "clusterroles");
}

bool Matches(const rbac::ClusterRole& role, const auto& selector) {
  return std::ranges::all_of(selector.match_labels(), [&](const auto& label) {
    return role.metadata().labels().Contains(label.key) &&
           role.metadata().labels().Get(label.key) == label.value;
  });
}

using Rules = std::vector<const object::Value*>;

// By selectors, then by names, each once.
Rules WantedRules(const Ledger& ledger, const Recorded& role) {
  Rules wanted;
  const std::string prefix = StoredKey(ClusterRoles(), {"", ""});
  const rbac::ClusterRole aggregate(*role.object);
  for (const auto selector : aggregate.aggregation_rule().cluster_role_selectors()) {
    for (auto at = ledger.objects().lower_bound(prefix);
         at != ledger.objects().end() && at->first.starts_with(prefix); ++at) {
      const rbac::ClusterRole part(*at->second->object);
      if (at->second->uid == role.uid || !Matches(part, selector)) continue;
      for (const auto rule : part.rules()) {
        const bool known = std::ranges::any_of(wanted, [&](const object::Value* each) {
          return object::DeepEqual(*each, *rule.AsValue());
        });
        if (!known) wanted.push_back(rule.AsValue());
      }
    }
  }
  return wanted;
}

}  // namespace

RolesActor::RolesActor(Cluster& cluster, Guarantees& guarantees, int number)
    : Actor(cluster, guarantees, "roles-" + std::to_string(number)) {}

std::string RolesActor::DrawLabels(uint64_t layer) {
  return ",\"labels\":{\"layer\":\"" + name() + "-" + std::to_string(layer) + "\",\"group\":\"" +
         kGroups[Draw(2)] + "\"}";
}

std::string RolesActor::DrawRules() {
  std::string out;
  const uint64_t count = Draw(3);
  for (uint64_t i = 0; i < count; ++i) {
    out += std::string(out.empty() ? "" : ",") + R"({"apiGroups":[""],"verbs":["get"],)" +
           "\"resources\":[\"r" + std::to_string(Draw(kRules)) + "\"]}";
  }
  return "\"rules\":[" + out + "]";
}

std::string RolesActor::DrawSelectors(uint64_t layer) {
  std::string out;
  const uint64_t count = 1 + Draw(2);
  for (uint64_t i = 0; i < count; ++i) {
    out += std::string(i == 0 ? "" : ",") + "{\"matchLabels\":{\"layer\":\"" + name() + "-" +
           std::to_string(layer - 1) + "\"" +
           (OneIn(2) ? ",\"group\":\"" + std::string(kGroups[Draw(2)]) + "\"" : "") + "}}";
  }
  return "\"aggregationRule\":{\"clusterRoleSelectors\":[" + out + "]}";
}

Task<void> RolesActor::Step() {
  const uint64_t layer = Draw(kLayers);
  const client::ObjectName role{
      "", name() + "-" + std::to_string(layer) + "-" + std::to_string(Draw(kNames))};
  const std::string content = layer == 0 ? DrawRules() : DrawSelectors(layer);
  switch (Draw(6)) {
    case 0: {
      const client::DeleteChoice how;
      co_await Delete(ClusterRoles(), role, how);
      break;
    }
    case 1:
      co_await Patch(ClusterRoles(), role, DrawLabels(layer));
      break;
    case 2:
      co_await Patch(ClusterRoles(), role, "|," + content);
      break;
    default: {
      const std::string labels = DrawLabels(layer) + "|";
      co_await Create(ClusterRoles(), role, labels + "," + content);
    }
  }
}

std::string AggregationUnfinished(const Ledger& ledger) {
  for (const auto& [key, object] : ledger.objects()) {
    if (object->kind != "ClusterRole") continue;
    const rbac::ClusterRole role(*object->object);
    if (!role.has_aggregation_rule()) continue;
    const Rules wanted = WantedRules(ledger, *object);
    const auto rules = role.rules();
    bool same = rules.size() == wanted.size();
    for (size_t i = 0; same && i < wanted.size(); ++i) {
      same = object::DeepEqual(*wanted[i], *rules[i].AsValue());
    }
    if (!same) return key + " is not made of what it selects";
  }
  return "";
}

}  // namespace skiff::sim
