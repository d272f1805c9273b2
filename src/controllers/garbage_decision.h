// Decides about one object that may be garbage, and carries it out: asks the server for the object
// and its owners, then leaves it, takes dead references away, or deletes it.
//
// Owner: the garbage collector; belongs to its executor. Everything that it refers to must live as
// long as something is under way.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "controllers/absent_owner_cache.h"
#include "controllers/owned_objects.h"
#include "controllers/owner_graph.h"
#include "controllers/resource_monitors.h"

namespace skiff::controllers {

class GarbageDecision {
 public:
  enum class Outcome : uint8_t {
    kDone,   // until the graph asks again
    kSoon,   // look again when informers have seen more
    kLater,  // look again, each time later
  };

  GarbageDecision(client::Client client, OwnerGraph& graph, ResourceMonitors& monitors,
                  AbsentOwnerCache& absent, OwnerGraph::Listener& listener)
      : objects_(std::move(client)),
        graph_(graph),
        monitors_(monitors),
        absent_(absent),
        listener_(listener) {}

  // After an error, too, it is to be looked at again, each time later.
  Task<Result<Outcome>> AttemptToDelete(std::string uid);
  Task<Result<Outcome>> AttemptToOrphan(std::string uid);

  // Uids of objects that are left alone until the kinds that the server serves change: theirs, or
  // that of an owner, is not among them. They are forgotten here.
  std::set<std::string> TakeUnresolved() { return std::exchange(unresolved_, {}); }

 private:
  enum class OwnerState : uint8_t {
    kSolid,
    kDangling,  // there is no such object
    kWaiting,   // it is deleted in the foreground and waits for its dependents
    kUnknown,   // its kind is not served, or is in namespaces where the dependent is in none
  };
  struct Owners {
    std::vector<std::string> solid, dangling, waiting;
    bool unknown = false;
    // Whether an owner is there, or may be.
    bool keep() const { return !solid.empty() || unknown; }
  };

  Task<Result<Outcome>> Decide(OwnedObject object, client::ObjectPtr latest);
  Task<Result<Owners>> Classify(ObjectIdentity dependent, std::vector<OwnerReference> references);
  Task<Result<OwnerState>> StateOf(OwnerReference reference, ObjectIdentity dependent);
  // The owner is deleted in the foreground.
  Task<Result<Outcome>> ProcessDependents(OwnedObject object);
  Task<Result<Outcome>> DeleteInForeground(OwnedObject object, client::ObjectPtr latest);
  Task<Result<Outcome>> Delete(OwnedObject object, client::ObjectPtr latest,
                               std::string propagation);
  Task<bool> Orphan(ObjectIdentity dependent, std::string owner, std::optional<Status>* failure);
  // The server has nothing of this uid at this place.
  Outcome Gone(const ObjectIdentity& identity);
  void RecordUnresolved(const std::string& uid);

  OwnedObjects objects_;
  OwnerGraph& graph_;
  ResourceMonitors& monitors_;
  AbsentOwnerCache& absent_;
  OwnerGraph::Listener& listener_;
  std::set<std::string> unresolved_;
};

}  // namespace skiff::controllers
