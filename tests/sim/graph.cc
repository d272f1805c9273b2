#include "tests/sim/graph.h"

#include <utility>

#include "tests/sim/churn.h"

namespace skiff::sim {
namespace {

constexpr size_t kMostNodes = 40;

}  // namespace

GraphActor::GraphActor(Cluster& cluster, Promises& promises, int number)
    : Actor(cluster, promises, "graph-" + std::to_string(number)),
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
    const Node& owner = nodes_[Draw(nodes_.size())];
    // Mostly a neighbour; one elsewhere cannot be found from here.
    if (owner.name.name_space == name_space || OneIn(8)) add(owner);
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
  const ApiResource& resource = *kinds[Draw(kinds.size())];
  const std::string& name_space = name_spaces_[OneIn(4) ? 1 : 0];
  const ObjectName name{name_space, "node-" + std::to_string(made_++)};
  const std::string owners = DrawOwners(name_space);
  const std::string more = owners.empty() ? "" : ",\"ownerReferences\":[" + owners + "]";
  const Result<ObjectPtr> made = co_await Create(resource, name, more + "|" + RestOf(resource));
  if (!made) co_return;
  nodes_.push_back({&resource, name, std::string(UidOf(**made))});
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
  const size_t which = Draw(nodes_.size());
  const Node node = nodes_[which];
  nodes_.erase(nodes_.begin() + static_cast<ptrdiff_t>(which));
  static constexpr const char* kPropagations[] = {"Background", "Foreground", "Orphan", ""};
  DeleteChoice how;
  how.propagation = kPropagations[Draw(4)];
  if (OneIn(3)) how.uid = node.uid;
  cluster_.counters().Count("graph deletions " +
                            (how.propagation.empty() ? std::string("default") : how.propagation));
  co_await Delete(*node.resource, node.name, std::move(how));
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
      kept |= ResolveOwner(ledger, *object, owner) != nullptr;
    }
    if (!kept) return key + " has lost all its owners but is still there";
  }
  return "";
}

}  // namespace skiff::sim
