// Cluster roles that are made of others by their labels, in several layers, whose parts come,
// change their rules or labels, and go.
#pragma once

#include <string>

#include "tests/sim/actor.h"

namespace skiff::sim {

class RolesActor final : public Actor {
 public:
  RolesActor(Cluster& cluster, Guarantees& guarantees, int number);

 protected:
  Task<void> Step() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(250); }

 private:
  std::string DrawLabels(uint64_t layer);
  std::string DrawRules();
  // Of roles of the layer below.
  std::string DrawSelectors(uint64_t layer);
};

// A role that is not made of what its selectors find. Empty: all is well.
std::string AggregationUnfinished(const Ledger& ledger);

}  // namespace skiff::sim
