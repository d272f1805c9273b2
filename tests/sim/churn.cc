#include "tests/sim/churn.h"

#include <algorithm>
#include <utility>

namespace skiff::sim {
namespace {

constexpr size_t kLivingAtOnce = 3;

bool HasCondition(const Recorded& name_space, std::string_view type) {
  const object::Value* conditions = name_space.object->root().FindPath({"status", "conditions"});
  if (conditions == nullptr || !conditions->is_list()) return false;
  return std::ranges::any_of(conditions->items(), [&](const object::Value& condition) {
    const object::Value* name = condition.Find("type");
    const object::Value* status = condition.Find("status");
    return name != nullptr && status != nullptr && name->AsText() == type &&
           status->AsText() == "True";
  });
}

}  // namespace

ChurnActor::ChurnActor(Cluster& cluster, Guarantees& guarantees, int number)
    : Actor(cluster, guarantees, "churn-" + std::to_string(number)) {}

Task<void> ChurnActor::Fill(std::string name_space) {
  const auto kinds = WorkKinds();
  const uint64_t count = 1 + Draw(6);
  for (uint64_t i = 0; i < count && !stopping_; ++i) {
    const client::ApiResource& resource = *kinds[Draw(kinds.size())];
    const client::ObjectName name{name_space, "item-" + std::to_string(i)};
    const bool held = OneIn(5);
    std::string rest = RestOf(resource);
    if (held) rest = ",\"finalizers\":[\"" + std::string(kHoldFinalizer) + "\"]|" + rest;
    co_await Create(resource, name, std::move(rest));
    if (held && !OneIn(6)) held_.push_back({&resource, name});
  }
}

Task<bool> ChurnActor::Release(Held held) {
  const Result<client::ObjectPtr> answer =
      co_await Patch(*held.resource, held.name, ",\"finalizers\":null");
  co_return answer || answer.error().reason() == StatusReason::kNotFound;
}

Task<void> ChurnActor::Step() {
  if (living_.size() >= kLivingAtOnce || (!living_.empty() && OneIn(4))) {
    const std::string name_space = living_.front();
    const client::ApiResource& namespaces = client::BuiltIn("", "v1", "namespaces");
    const client::ObjectName full_name{"", name_space};
    const client::DeleteChoice how;
    const Result<void> deleted = co_await Delete(namespaces, full_name, how);
    if (deleted || deleted.error().reason() == StatusReason::kNotFound) {
      living_.pop_front();
      cluster_.counters().Count("namespaces deleted");
    }
  } else if (!held_.empty() && OneIn(3)) {
    const Held held = held_.front();
    held_.pop_front();
    const bool released = co_await Release(held);
    if (!released) held_.push_back(held);
  } else {
    const std::string name_space = name() + "-" + std::to_string(made_++);
    co_await EnsureNamespace(name_space);
    living_.push_back(name_space);
    co_await Fill(name_space);
  }
}

Task<void> ChurnActor::CleanUp() {
  while (!held_.empty()) {
    const Held held = held_.front();
    const bool released = co_await Release(held);
    if (released) held_.pop_front();
    if (!released) co_await Pause(process_.executor, std::chrono::seconds(1));
  }
}

std::string NamespacesOutOfOrder(const Ledger& ledger) {
  const std::string prefix = "/registry/namespaces/";
  for (auto at = ledger.objects().lower_bound(prefix);
       at != ledger.objects().end() && at->first.starts_with(prefix); ++at) {
    const Recorded& name_space = *at->second;
    if (!name_space.deleting) continue;
    size_t held = 0;
    bool pods_held = false;
    std::string other;
    for (const auto& [key, object] : ledger.objects()) {
      if (object->name_space != name_space.name) continue;
      const bool holds = object->HasFinalizer(kHoldFinalizer);
      held += holds ? 1 : 0;
      pods_held |= holds && object->kind == "Pod";
      if (!holds) other = key;
    }
    // Pods go first: while one is held, nothing else has to go.
    if (!other.empty() && !pods_held) {
      return "namespace " + name_space.name + " is ending but still has " + other;
    }
    if (held == 0) return "namespace " + name_space.name + " is empty but does not end";
    if (!HasCondition(name_space, "NamespaceContentRemaining") ||
        !HasCondition(name_space, "NamespaceFinalizersRemaining")) {
      return "namespace " + name_space.name + " does not say what keeps it";
    }
  }
  return "";
}

}  // namespace skiff::sim
