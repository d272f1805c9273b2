#include "controllers/garbage_decision.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "controllers/objects.h"
#include "controllers/run_concurrently.h"

namespace skiff::controllers {
namespace {

using Outcome = GarbageDecision::Outcome;

std::string_view PropagationOf(const object::Document& object) {
  if (HasFinalizer(object, kOrphanFinalizer)) return "Orphan";
  if (HasFinalizer(object, kForegroundFinalizer)) return "Foreground";
  return "Background";
}

}  // namespace

Task<Result<Outcome>> GarbageDecision::AttemptToDelete(std::string uid) {
  const OwnerGraph::Node* node = graph_.Find(uid);
  if (node == nullptr) co_return Outcome::kDone;
  // A deletion that has begun ends without help, unless it waits for dependents.
  if (node->being_deleted && !node->deleting_dependents) co_return Outcome::kDone;

  OwnedObject object{.resource = monitors_.Resolve(node->identity.api_version, node->identity.kind),
                     .identity = node->identity};
  if (object.resource == nullptr) {
    RecordUnresolved(uid);
    co_return Outcome::kDone;
  }
  if (!object.resource->namespaced) {
    graph_.SetClusterWide(uid);
    object.identity.name_space.clear();
  } else if (object.identity.name_space.empty()) {
    // Only a cluster-wide object can have referred to it, and nobody can tell where it is.
    co_return Outcome::kDone;
  }
  Result<client::ObjectPtr> latest = co_await objects_.Get(object);
  if (!latest && latest.error().reason() == StatusReason::kNotFound)
    co_return Gone(object.identity);
  if (!latest) co_return std::unexpected(std::move(latest).error());

  Result<Outcome> outcome = co_await Decide(std::move(object), std::move(*latest));
  node = graph_.Find(uid);
  if (outcome && node != nullptr && !node->observed) {
    // It is there, but if it goes before an informer sees it nobody will tell.
    co_return Outcome::kLater;
  }
  co_return outcome;
}

Outcome GarbageDecision::Gone(const ObjectIdentity& identity) {
  return graph_.RemoveAbsent(identity) ? Outcome::kLater : Outcome::kDone;
}

void GarbageDecision::RecordUnresolved(const std::string& uid) {
  if (unresolved_.size() > 2 * graph_.size()) {
    std::erase_if(unresolved_,
                  [this](const std::string& each) { return graph_.Find(each) == nullptr; });
  }
  unresolved_.insert(uid);
}

Task<Result<Outcome>> GarbageDecision::Decide(OwnedObject object, client::ObjectPtr latest) {
  const OwnerGraph::Node* node = graph_.Find(object.identity.uid);
  if (node == nullptr) co_return Outcome::kDone;
  if (node->deleting_dependents) co_return co_await ProcessDependents(std::move(object));
  // Informers are about to show it, and its deletion goes on from there.
  if (client::IsDeleting(*latest)) co_return Outcome::kDone;
  const std::vector<OwnerReference> references = OwnersOf(*latest);
  if (references.empty()) co_return Outcome::kDone;

  Result<Owners> owners = co_await Classify(object.identity, references);
  if (!owners) co_return std::unexpected(std::move(owners).error());
  if (owners->keep()) {
    // Nothing waits for an object that stays.
    std::vector<std::string> dead = std::move(owners->waiting);
    if (!owners->unknown) std::ranges::move(owners->dangling, std::back_inserter(dead));
    std::erase_if(dead, [&](const std::string& uid) {
      return std::ranges::find(owners->solid, uid) != owners->solid.end();
    });
    if (dead.empty()) co_return Outcome::kDone;
    Result<void> disowned = co_await objects_.Disown(std::move(object), std::move(dead));
    if (!disowned) co_return std::unexpected(std::move(disowned).error());
    co_return Outcome::kDone;
  }
  node = graph_.Find(object.identity.uid);
  if (node != nullptr && !owners->waiting.empty() && node->has_dependents()) {
    co_return co_await DeleteInForeground(std::move(object), std::move(latest));
  }
  std::string propagation(PropagationOf(*latest));
  co_return co_await Delete(std::move(object), std::move(latest), std::move(propagation));
}

Task<Result<GarbageDecision::Owners>> GarbageDecision::Classify(
    ObjectIdentity dependent, std::vector<OwnerReference> references) {
  Owners owners;
  for (const OwnerReference& reference : references) {
    const Result<OwnerState> state = co_await StateOf(reference, dependent);
    if (!state) co_return std::unexpected(state.error());
    switch (*state) {
      case OwnerState::kSolid:
        owners.solid.push_back(reference.uid);
        break;
      case OwnerState::kDangling:
        owners.dangling.push_back(reference.uid);
        break;
      case OwnerState::kWaiting:
        owners.waiting.push_back(reference.uid);
        break;
      case OwnerState::kUnknown:
        owners.unknown = true;
        break;
    }
  }
  co_return owners;
}

Task<Result<GarbageDecision::OwnerState>> GarbageDecision::StateOf(OwnerReference reference,
                                                                   ObjectIdentity dependent) {
  if (absent_.Has(IdentityOf(reference, "")) ||
      absent_.Has(IdentityOf(reference, dependent.name_space))) {
    co_return OwnerState::kDangling;
  }
  const std::shared_ptr<const client::ApiResource> resource =
      monitors_.Resolve(reference.api_version, reference.kind);
  if (resource == nullptr) {
    RecordUnresolved(dependent.uid);
    co_return OwnerState::kUnknown;
  }
  if (resource->namespaced && dependent.name_space.empty()) co_return OwnerState::kUnknown;

  const client::ObjectName name{
      .name_space = resource->namespaced ? dependent.name_space : std::string(),
      .name = reference.name};
  const Result<client::ObjectPtr> owner = co_await objects_.GetAny(resource, name);
  if (!owner && owner.error().reason() != StatusReason::kNotFound) {
    co_return std::unexpected(owner.error());
  }
  if (!owner || client::UidOf(**owner) != reference.uid) {
    absent_.Add(IdentityOf(reference, name.name_space));
    co_return OwnerState::kDangling;
  }
  const bool waits = client::IsDeleting(**owner) && HasFinalizer(**owner, kForegroundFinalizer);
  co_return waits ? OwnerState::kWaiting : OwnerState::kSolid;
}

Task<Result<Outcome>> GarbageDecision::ProcessDependents(OwnedObject object) {
  const std::string uid = object.identity.uid;
  const OwnerGraph::Node* node = graph_.Find(uid);
  const std::vector<const OwnerGraph::Node*> blocking = graph_.BlockingDependents(*node);
  if (blocking.empty()) {
    // There may be dependents that no informer has shown yet.
    if (!monitors_.settled()) co_return Outcome::kSoon;
    std::string finalizer(kForegroundFinalizer);
    Result<void> removed = co_await objects_.RemoveFinalizer(std::move(object), finalizer);
    if (!removed) co_return std::unexpected(std::move(removed).error());
    co_return Outcome::kDone;
  }
  bool any = false;
  for (const OwnerGraph::Node* dependent : blocking) {
    if (dependent->deleting_dependents) continue;
    any = true;
    listener_.AttemptToDelete(dependent->identity.uid);
  }
  // Owners that wait for each other in a circle would wait for ever: one of them gives way.
  if (!any && graph_.WaitsForItself(*node)) {
    Result<client::ObjectPtr> unblocked = co_await objects_.Unblock(std::move(object));
    if (!unblocked && unblocked.error().reason() != StatusReason::kNotFound) {
      co_return std::unexpected(std::move(unblocked).error());
    }
  }
  co_return Outcome::kDone;
}

Task<Result<Outcome>> GarbageDecision::DeleteInForeground(OwnedObject object,
                                                          client::ObjectPtr latest) {
  const OwnerGraph::Node* node = graph_.Find(object.identity.uid);
  const bool in_circle =
      node != nullptr && node->has_dependents() &&
      std::ranges::any_of(*node->dependents, &OwnerGraph::Node::deleting_dependents);
  if (in_circle) {
    // A dependent that waits for its own dependents may be an owner of this one further up.
    Result<client::ObjectPtr> unblocked = co_await objects_.Unblock(object);
    if (!unblocked && unblocked.error().reason() == StatusReason::kNotFound) {
      co_return Gone(object.identity);
    }
    if (!unblocked) co_return std::unexpected(std::move(unblocked).error());
    latest = std::move(*unblocked);
  }
  std::string propagation = "Foreground";
  co_return co_await Delete(std::move(object), std::move(latest), std::move(propagation));
}

Task<Result<Outcome>> GarbageDecision::Delete(OwnedObject object, client::ObjectPtr latest,
                                              std::string propagation) {
  Result<void> deleted =
      co_await objects_.Delete(object, std::move(latest), std::move(propagation));
  if (deleted) co_return Outcome::kDone;
  if (deleted.error().reason() == StatusReason::kNotFound) co_return Gone(object.identity);
  co_return std::unexpected(std::move(deleted).error());
}

Task<Result<Outcome>> GarbageDecision::AttemptToOrphan(std::string uid) {
  const OwnerGraph::Node* node = graph_.Find(uid);
  if (node == nullptr || !node->orphaning) co_return Outcome::kDone;
  OwnedObject object{.resource = monitors_.Resolve(node->identity.api_version, node->identity.kind),
                     .identity = node->identity};
  if (object.resource == nullptr) {
    RecordUnresolved(uid);
    co_return Outcome::kDone;
  }
  // A dependent that is not known now would be taken for garbage later.
  if (!monitors_.settled()) co_return Outcome::kSoon;

  std::vector<ObjectIdentity> dependents;
  if (node->has_dependents()) {
    for (const OwnerGraph::Node* each : *node->dependents) dependents.push_back(each->identity);
  }
  std::optional<Status> failure;
  std::function<Task<bool>(size_t)> work = [this, &dependents, &uid, &failure](size_t index) {
    return Orphan(dependents[index], uid, &failure);
  };
  co_await RunConcurrently(limits::kControllerConcurrency, dependents.size(), work);
  if (failure) co_return std::unexpected(std::move(*failure));

  node = graph_.Find(uid);
  if (node == nullptr) co_return Outcome::kDone;
  const auto is_new = [&](const OwnerGraph::Node* each) {
    return std::ranges::find(dependents, each->identity.uid, &ObjectIdentity::uid) ==
           dependents.end();
  };
  if (node->has_dependents() && std::ranges::any_of(*node->dependents, is_new)) {
    co_return Outcome::kSoon;
  }
  std::string finalizer(kOrphanFinalizer);
  Result<void> removed = co_await objects_.RemoveFinalizer(std::move(object), finalizer);
  if (!removed) co_return std::unexpected(std::move(removed).error());
  co_return Outcome::kDone;
}

Task<bool> GarbageDecision::Orphan(ObjectIdentity dependent, std::string owner,
                                   std::optional<Status>* failure) {
  auto resource = monitors_.Resolve(dependent.api_version, dependent.kind);
  // What is not served any more is gone.
  if (resource == nullptr) co_return true;
  OwnedObject object{.resource = std::move(resource), .identity = std::move(dependent)};
  std::vector<std::string> owners(1, owner);
  Result<void> disowned = co_await objects_.Disown(std::move(object), std::move(owners));
  if (disowned || disowned.error().reason() == StatusReason::kNotFound) co_return true;
  *failure = std::move(disowned).error();
  co_return false;
}

}  // namespace skiff::controllers
