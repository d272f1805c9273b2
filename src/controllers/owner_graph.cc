#include "controllers/owner_graph.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skiff::controllers {
namespace {

using Node = OwnerGraph::Node;

const OwnerReference* FindUid(std::span<const OwnerReference> references, std::string_view uid) {
  const auto found = std::ranges::find(references, uid, &OwnerReference::uid);
  return found == references.end() ? nullptr : &*found;
}

// References to owners of another namespace are invalid, and keep nobody waiting.
bool CanDependOn(const Node& dependent, const Node& owner) {
  return owner.identity.name_space.empty() ||
         owner.identity.name_space == dependent.identity.name_space;
}

// Those whose uid is not among the others.
std::vector<OwnerReference> Without(std::span<const OwnerReference> references,
                                    std::span<const OwnerReference> others) {
  std::vector<OwnerReference> left;
  for (const OwnerReference& reference : references) {
    if (FindUid(others, reference.uid) == nullptr) left.push_back(reference);
  }
  return left;
}

// Another place where dependents say that an owner is, after one where it is not: the next one in
// order, so that all of them are looked at in turn.
std::optional<ObjectIdentity> NextLocation(std::span<Node* const> dependents,
                                           const ObjectIdentity& absent) {
  std::optional<ObjectIdentity> first;
  std::optional<ObjectIdentity> next;
  for (const Node* dependent : dependents) {
    for (const OwnerReference& reference : dependent->owners) {
      if (reference.uid != absent.uid) continue;
      ObjectIdentity other = IdentityOf(reference, dependent->identity.name_space);
      if (absent.name_space.empty() && other.kind == absent.kind &&
          other.api_version == absent.api_version) {
        other.name_space.clear();  // the kind is known not to be in namespaces
      }
      if (other == absent) continue;
      if (!first || other < *first) first = other;
      if (absent < other && (!next || other < *next)) next = other;
    }
  }
  return next ? next : first;
}

}  // namespace

const Node* OwnerGraph::Find(std::string_view uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : found->get();
}

Node* OwnerGraph::Lookup(std::string_view uid) {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : found->get();
}

Node& OwnerGraph::Insert(ObjectIdentity identity, bool observed) {
  auto node = std::make_unique<Node>();
  node->identity = std::move(identity);
  node->observed = observed;
  return **nodes_.insert(std::move(node)).first;
}

void OwnerGraph::AttemptToDeleteAll(std::span<Node* const> nodes) {
  for (const Node* node : nodes) listener_.AttemptToDelete(node->identity.uid);
}

void OwnerGraph::Observe(Seen seen) {
  Node* node = Lookup(seen.identity.uid);
  if (node == nullptr) {
    node = &Insert(seen.identity, true);
    node->owners = std::move(seen.owners);
    Link(*node, node->owners);
  } else {
    Identify(*node, seen.identity);
    ChangeOwners(*node, std::move(seen.owners));
  }
  Advance(*node, seen);
}

// How far the deletion of an object has come.
void OwnerGraph::Advance(Node& node, const Seen& seen) {
  const bool orphaning = seen.being_deleted && seen.orphan;
  const bool deleting_dependents = seen.being_deleted && seen.foreground && !orphaning;
  const bool starts_orphaning = orphaning && !node.orphaning;
  const bool starts_deleting = deleting_dependents && !node.deleting_dependents;
  node.being_deleted = seen.being_deleted;
  node.orphaning = orphaning;
  node.deleting_dependents = deleting_dependents;
  if (starts_orphaning) listener_.AttemptToOrphan(node.identity.uid);
  if (!starts_deleting) return;
  if (node.has_dependents()) {
    for (const Node* dependent : *node.dependents) {
      listener_.AttemptToDelete(dependent->identity.uid);
    }
  }
  listener_.AttemptToDelete(node.identity.uid);
}

// The place of the object is known now. Who took it to be elsewhere deserves a look.
void OwnerGraph::Identify(Node& node, const ObjectIdentity& identity) {
  if (!node.observed && node.identity != identity) {
    for (const Node* dependent : SplitDependents(node, identity).others) {
      if (!identity.name_space.empty() && dependent->identity.name_space != identity.name_space) {
        const OwnerReference* reference = FindUid(dependent->owners, identity.uid);
        if (reference != nullptr) listener_.InvalidNamespace(dependent->identity, *reference);
      }
      listener_.AttemptToDelete(dependent->identity.uid);
    }
  }
  node.identity = identity;
  node.observed = true;
}

void OwnerGraph::ChangeOwners(Node& node, std::vector<OwnerReference> owners) {
  if (node.owners == owners) return;
  const std::vector<OwnerReference> before = std::exchange(node.owners, std::move(owners));
  // An owner that is deleted in the foreground may no longer have to wait for this one.
  for (const OwnerReference& old : before) {
    if (!old.blocks()) continue;
    const OwnerReference* now = FindUid(node.owners, old.uid);
    if ((now == nullptr || !now->blocks()) && Lookup(old.uid) != nullptr) {
      listener_.AttemptToDelete(old.uid);
    }
  }
  Link(node, Without(node.owners, before));
  const std::vector<OwnerReference> left = Without(before, node.owners);
  Unlink(node, left);
  // What is left of its owners may not be alive.
  if (!left.empty() && !node.owners.empty()) listener_.AttemptToDelete(node.identity.uid);
}

void OwnerGraph::Link(Node& node, std::span<const OwnerReference> owners) {
  bool doubtful = false;
  for (const OwnerReference& reference : owners) {
    Node* owner = Lookup(reference.uid);
    const bool fresh = owner == nullptr;
    if (fresh) owner = &Insert(IdentityOf(reference, node.identity.name_space), false);
    if (!owner->has_dependents()) owner->dependents = std::make_unique<Dependents>();
    owner->dependents->insert(&node);
    if (fresh) {
      listener_.CheckExistence(reference.uid);
    } else if (IsDoubtful(node, reference, *owner)) {
      doubtful = true;
    }
  }
  if (doubtful) listener_.AttemptToDelete(node.identity.uid);
}

// Whether a reference does not fit what is known of its owner.
bool OwnerGraph::IsDoubtful(const Node& node, const OwnerReference& reference, const Node& owner) {
  const std::string& home = owner.identity.name_space;
  if (!home.empty() && home != node.identity.name_space) {
    if (owner.observed) listener_.InvalidNamespace(node.identity, reference);
    return true;
  }
  if (!Means(reference, owner.identity)) return true;
  // A cluster-wide object may have referred to a kind of namespaces, which nobody can find there.
  return home != node.identity.name_space && !owner.observed;
}

void OwnerGraph::Unlink(Node& node, std::span<const OwnerReference> owners) {
  for (const OwnerReference& reference : owners) {
    Node* owner = Lookup(reference.uid);
    if (owner == nullptr || !owner->has_dependents()) continue;
    owner->dependents->erase(&node);
    if (!owner->dependents->empty()) continue;
    owner->dependents.reset();
    // Nobody refers any more to what nobody has seen.
    if (owner != &node && !owner->observed && owner->owners.empty()) {
      nodes_.erase(nodes_.find(std::string_view(reference.uid)));
    }
  }
}

void OwnerGraph::Remove(const ObjectIdentity& identity) {
  Node* node = Lookup(identity.uid);
  if (node == nullptr) return;
  Identify(*node, identity);
  Drop(*node, identity);
}

bool OwnerGraph::RemoveAbsent(const ObjectIdentity& identity) {
  Node* node = Lookup(identity.uid);
  if (node == nullptr) return false;
  if (!node->observed) {
    const Split split = SplitDependents(*node, identity);
    if (!split.others.empty()) {
      if (!split.matching.empty()) listener_.Absent(identity);
      AttemptToDeleteAll(split.matching);
      if (node->identity != identity) return true;
      std::optional<ObjectIdentity> other = NextLocation(split.others, identity);
      if (other) node->identity = std::move(*other);
      return true;
    }
  } else if (node->identity != identity) {
    const Split split = SplitDependents(*node, identity);
    if (!split.matching.empty()) listener_.Absent(identity);
    AttemptToDeleteAll(split.matching);
    return false;
  }
  Drop(*node, identity);
  return false;
}

void OwnerGraph::Drop(Node& node, const ObjectIdentity& as) {
  Unlink(node, node.owners);
  const auto place = nodes_.find(std::string_view(node.identity.uid));
  // The node lives until everybody has been told.
  const std::unique_ptr<Node> gone = std::move(nodes_.extract(place).value());
  if (gone->has_dependents()) {
    listener_.Absent(as);
    for (const Node* dependent : *gone->dependents) {
      listener_.AttemptToDelete(dependent->identity.uid);
    }
  }
  for (const OwnerReference& reference : gone->owners) {
    const Node* owner = Find(reference.uid);
    if (owner != nullptr && owner->deleting_dependents) listener_.AttemptToDelete(reference.uid);
  }
}

void OwnerGraph::SetClusterWide(const std::string& uid) {
  Node* node = Lookup(uid);
  if (node != nullptr && !node->observed) node->identity.name_space.clear();
}

std::vector<std::string> OwnerGraph::Unobserve(std::string_view api_version,
                                               std::string_view kind) {
  std::vector<std::string> uids;
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (!node->observed || node->identity.kind != kind ||
        node->identity.api_version != api_version) {
      continue;
    }
    node->observed = false;
    uids.push_back(node->identity.uid);
  }
  std::ranges::sort(uids);
  return uids;
}

// A dependent with several references to the uid may be on both sides.
OwnerGraph::Split OwnerGraph::SplitDependents(const Node& owner, const ObjectIdentity& identity) {
  Split split;
  if (!owner.has_dependents()) return split;
  for (Node* dependent : *owner.dependents) {
    bool matches = false;
    bool differs = false;
    if (!identity.name_space.empty() && identity.name_space != dependent->identity.name_space) {
      differs = true;
    } else {
      for (const OwnerReference& reference : dependent->owners) {
        if (reference.uid != identity.uid) continue;
        (Means(reference, identity) ? matches : differs) = true;
      }
    }
    if (matches) split.matching.push_back(dependent);
    if (differs) split.others.push_back(dependent);
  }
  return split;
}

std::vector<const Node*> OwnerGraph::BlockingDependents(const Node& node) const {
  std::vector<const Node*> blocking;
  if (!node.has_dependents()) return blocking;
  for (const Node* dependent : *node.dependents) {
    if (!CanDependOn(*dependent, node)) continue;
    const bool blocks = std::ranges::any_of(dependent->owners, [&](const OwnerReference& each) {
      return each.blocks() && each.uid == node.identity.uid;
    });
    if (blocks) blocking.push_back(dependent);
  }
  return blocking;
}

bool OwnerGraph::WaitsForItself(const Node& node) const {
  // From an object to those that wait for it, which are few, as objects have few owners.
  std::set<std::string_view> seen;
  std::vector<const Node*> open = {&node};
  while (!open.empty()) {
    const Node* at = open.back();
    open.pop_back();
    for (const OwnerReference& reference : at->owners) {
      if (!reference.blocks()) continue;
      const Node* owner = Find(reference.uid);
      if (owner == nullptr || !owner->deleting_dependents || !CanDependOn(*at, *owner)) continue;
      if (owner == &node) return true;
      if (seen.insert(owner->identity.uid).second) open.push_back(owner);
    }
  }
  return false;
}

}  // namespace skiff::controllers
