// Faults that come from the seed: which kinds a run has, when they strike, how long they last.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/actor.h"
#include "tests/sim/cluster.h"
#include "tests/sim/follower.h"
#include "tests/sim/managers.h"

namespace skiff::sim {

struct FaultTargets {
  Managers& managers;
  std::vector<std::unique_ptr<Follower>>& followers;
  std::vector<std::unique_ptr<Actor>>& actors;
};

class Faults {
 public:
  Faults(Cluster& cluster, FaultTargets targets);

  void Start();
  // No fault begins any more, and those that last end.
  void Stop();

 private:
  struct Kind {
    const char* name;
    // The longest time between two.
    Duration pause;
    std::function<void()> strike;
  };
  std::vector<Kind> AllKinds();
  void AddServerKinds(std::vector<Kind>& out);
  void AddNetworkKinds(std::vector<Kind>& out);
  void AddProcessKinds(std::vector<Kind>& out);
  void Schedule(const Kind& kind);
  std::string DrawProcess();
  void JumpSomeClock();
  Duration DrawUpTo(Duration longest);

  Cluster& cluster_;
  FaultTargets targets_;
  SeededRandom random_;
  SimClock clock_;
  SimExecutor executor_;
  std::vector<Kind> kinds_;
  bool stopped_ = false;
};

}  // namespace skiff::sim
