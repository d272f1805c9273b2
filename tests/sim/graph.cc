#include "tests/sim/graph.h"

#include <algorithm>
#include <utility>

#include "tests/sim/churn.h"
#include "views/core/v1.h"

namespace skiff::sim {
namespace {

constexpr size_t kMostNodes = 40;
constexpr std::string_view kLate = "-late";

const client::ApiResource& ClusterRoles() {
  return client::BuiltIn("rbac.authorization.k8s.io", "v1", "clusterroles");
}

bool IsToldOf(const Ledger& ledger, const std::string& uid) {
  const std::string prefix = "/registry/events/";
  for (auto at = ledger.objects().lower_bound(prefix);
       at != ledger.objects().end() && at->first.starts_with(prefix); ++at) {
    const views::core_v1::Event event(*at->second->object);
    if (event.involved_object().uid() == uid && event.reason() == "OwnerRefInvalidNamespace") {
      return true;
    }
  }
  return false;
}

}  // namespace

GraphActor::GraphActor(Cluster& cluster, Guarantees& guarantees, Propagation& propagation,
                       int number)
    : Actor(cluster, guarantees, "graph-" + std::to_string(number)),
      propagation_(propagation),
      name_spaces_{name() + "-a", name() + "-b"} {}

std::string GraphActor::Reference(const Node& owner) {
  return "{\"apiVersion\":\"" + owner.resource->api_version() + "\",\"kind\":\"" +
         owner.resource->kind + "\",\"name\":\"" + owner.name.name + "\",\"uid\":\"" + owner.uid +
         "\"" + (OneIn(2) ? ",\"blockOwnerDeletion\":true" : "") + "}";
}

std::string GraphActor::DrawOwners(const std::string& name_space) {
  std::string out;
  const auto add = [&](const Node& owner) {
    if (out.find(owner.uid) != std::string::npos) return;
    out += (out.empty() ? "" : ",") + Reference(owner);
  };
  const uint64_t count = Draw(4);
  for (uint64_t i = 0; i < count && !nodes_.empty(); ++i) {
    Node& owner = nodes_[Draw(nodes_.size())];
    // Mostly a neighbour, or one that is in no namespace; one elsewhere cannot be found from here.
    const std::string& home = owner.name.name_space;
    if (home.empty() || home == name_space || OneIn(name_space.empty() ? 3 : 8)) {
      add(owner);
      ++owner.dependents;
    }
  }
  if (OneIn(10)) {
    add({.resource = WorkKinds()[0],
         .name = {name_space, "never-was"},
         .uid = "00000000-0000-4000-8000-" + std::to_string(100000000000 + Draw(1000000))});
  }
  return out;
}

Task<void> GraphActor::Grow() {
  const auto kinds = WorkKinds();
  const bool in_none = OneIn(6);
  const client::ApiResource& resource = in_none ? ClusterRoles() : *kinds[Draw(kinds.size())];
  const std::string name_space = in_none ? "" : name_spaces_[OneIn(4) ? 1 : 0];
  const client::ObjectName name{name_space, name_spaces_[0] + "-node-" + std::to_string(made_++)};
  const std::string owners = DrawOwners(name_space);
  const std::string more = owners.empty() ? "" : ",\"ownerReferences\":[" + owners + "]";
  const Result<client::ObjectPtr> made =
      co_await Create(resource, name, more + "|" + RestOf(resource));
  if (!made) co_return;
  nodes_.push_back(
      {.resource = &resource, .name = name, .uid = std::string(client::UidOf(**made))});
  if (nodes_.size() > kMostNodes) nodes_.erase(nodes_.begin());
}

Task<void> GraphActor::CloseCycle() {
  if (nodes_.size() < 2) co_return;
  const size_t older = Draw(nodes_.size() - 1);
  const size_t younger = older + 1 + Draw(nodes_.size() - 1 - older);
  const Node node = nodes_[older];
  if (node.name.name_space != nodes_[younger].name.name_space) co_return;
  const std::string change = ",\"ownerReferences\":[" + Reference(nodes_[younger]) + "]";
  co_await Patch(*node.resource, node.name, change);
}

Task<void> GraphActor::Fell() {
  if (nodes_.empty()) co_return;
  size_t which = Draw(nodes_.size());
  // Often one that much depends on.
  if (OneIn(2)) {
    const auto most = std::ranges::max_element(nodes_, {}, &Node::dependents);
    which = static_cast<size_t>(most - nodes_.begin());
  }
  const Node node = nodes_[which];
  nodes_.erase(nodes_.begin() + static_cast<ptrdiff_t>(which));
  static constexpr const char* kPropagations[] = {"Background", "Foreground", "Orphan", ""};
  client::DeleteChoice how;
  how.propagation = kPropagations[Draw(4)];
  if (OneIn(3)) how.uid = node.uid;
  cluster_.counters().Count("graph deletions " +
                            (how.propagation.empty() ? std::string("default") : how.propagation));
  const std::string asked = how.propagation;
  if (negligent_) how.propagation.clear();
  const Result<void> answer = co_await Delete(*node.resource, node.name, std::move(how));
  if (!answer || (asked != "Orphan" && asked != "Foreground")) co_return;
  propagation_.OnAcknowledged(StoredKey(*node.resource, node.name), node.uid,
                              asked == "Orphan" ? kOrphaning : kForeground);
  if (hasty_ && asked == "Foreground") {
    co_await Patch(*node.resource, node.name, ",\"finalizers\":null");
  }
}

Task<std::string> GraphActor::Insist(const client::ApiResource& resource, client::ObjectName name,
                                     std::string rest) {
  for (;;) {
    Result<client::ObjectPtr> there = co_await Create(resource, name, rest);
    if (!there && there.error().reason() == StatusReason::kAlreadyExists) {
      there = co_await Get(resource, name);
    }
    if (there) co_return std::string(client::UidOf(**there));
    co_await Pause(process_.executor, std::chrono::seconds(1));
  }
}

Task<void> GraphActor::CleanUp() {
  // The namespace may not have been made before the end.
  const client::ApiResource& namespaces = client::BuiltIn("", "v1", "namespaces");
  const client::ObjectName home{"", name_spaces_[0]};
  co_await Insist(namespaces, home, "");
  Node owner{.resource = WorkKinds()[0], .name = {home.name, "late-owner"}, .uid = {}};
  owner.uid = co_await Insist(*owner.resource, owner.name, "");
  const std::string owners = ",\"ownerReferences\":[" + Reference(owner) + "]|";
  const client::ObjectName dependent{"", name() + std::string(kLate)};
  co_await Insist(ClusterRoles(), dependent, owners);
}

Task<void> GraphActor::Step() {
  if (!prepared_) {
    co_await EnsureNamespace(name_spaces_[0]);
    co_await EnsureNamespace(name_spaces_[1]);
    prepared_ = true;
  }
  switch (Draw(8)) {
    case 0:
    case 1:
      co_await Fell();
      break;
    case 2:
      co_await CloseCycle();
      break;
    default:
      co_await Grow();
  }
}

std::string OrphansLeft(const Ledger& ledger) {
  for (const auto& [key, object] : ledger.objects()) {
    if (object->kind == "Namespace" || object->HasFinalizer(kHoldFinalizer)) continue;
    if (object->deleting) return key + " is being deleted but does not go";
    if (object->owners.empty()) continue;
    bool kept = false;
    for (const OwnerLink& owner : object->owners) {
      kept |= NeverSatisfied(*object, owner) || ResolveOwner(ledger, *object, owner) != nullptr;
    }
    if (!kept) return key + " has lost all its owners but is still there";
  }
  return "";
}

std::string InvalidOwnersUntold(const Ledger& ledger) {
  const std::string prefix = StoredKey(ClusterRoles(), {"", "graph-"});
  for (auto at = ledger.objects().lower_bound(prefix);
       at != ledger.objects().end() && at->first.starts_with(prefix); ++at) {
    if (at->first.ends_with(kLate) && !IsToldOf(ledger, at->second->uid)) {
      return "nobody is told that the owner of " + at->first + " is invalid";
    }
  }
  return "";
}

}  // namespace skiff::sim
