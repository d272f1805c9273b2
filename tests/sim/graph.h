// Builds graphs of ownership and takes them apart: random owners, several for one object, owners
// that are missing or in another namespace, cycles, and the three propagations of deletion.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/actor.h"

namespace skiff::sim {

class GraphActor final : public Actor {
 public:
  GraphActor(Cluster& cluster, Promises& promises, int number);

 protected:
  Task<void> Step() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(300); }

 private:
  struct Node {
    const ApiResource* resource;
    ObjectName name;
    std::string uid;
  };
  Task<void> Grow();
  // Gives something an owner that is younger than itself.
  Task<void> CloseCycle();
  Task<void> Fell();
  std::string Reference(const Node& owner);
  std::string DrawOwners(const std::string& name_space);

  const std::string name_spaces_[2];
  bool prepared_ = false;
  int made_ = 0;
  std::vector<Node> nodes_;
};

// What should have been collected and is still there, or is ending and does not end. Empty: all is
// well.
std::string OrphansLeft(const Ledger& ledger);

}  // namespace skiff::sim
