// Builds graphs of ownership and takes them apart: random owners, several for one object, owners
// that are missing or in another namespace, objects that are in no namespace on either side,
// cycles, and the three propagations of deletion.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/actor.h"
#include "tests/sim/propagation.h"

namespace skiff::sim {

class GraphActor final : public Actor {
 public:
  GraphActor(Cluster& cluster, Guarantees& guarantees, Propagation& propagation, int number);

  // Bugs for tests of the tests: owners that are deleted in the foreground are let go at once;
  // dependents are not mentioned when owners are deleted.
  void SetHasty() { hasty_ = true; }
  void SetNegligent() { negligent_ = true; }

 protected:
  Task<void> Step() override;
  // Leaves something in no namespace whose owner is in one, which the collector has to speak of.
  Task<void> CleanUp() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(300); }

 private:
  struct Node {
    const client::ApiResource* resource;
    client::ObjectName name;
    std::string uid;
    int dependents = 0;  // that were to be made
  };
  Task<void> Grow();
  // Gives something an owner that is younger than itself.
  Task<void> CloseCycle();
  Task<void> Fell();
  // Until it is there; the uid.
  Task<std::string> Insist(const client::ApiResource& resource, client::ObjectName name,
                           std::string rest);
  std::string Reference(const Node& owner);
  std::string DrawOwners(const std::string& name_space);

  Propagation& propagation_;
  const std::string name_spaces_[2];
  bool hasty_ = false;
  bool negligent_ = false;
  bool prepared_ = false;
  int made_ = 0;
  std::vector<Node> nodes_;
};

// What should have been collected and is still there, or is ending and does not end. Empty: all is
// well.
std::string OrphansLeft(const Ledger& ledger);
// What actors have left for the collector to speak of in an event, and it has not. Empty: all is
// well.
std::string InvalidOwnersUntold(const Ledger& ledger);

}  // namespace skiff::sim
