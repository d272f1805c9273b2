// Makes namespaces, fills them, and deletes them; some of what is in them is held by a finalizer
// for a while, and some for ever, so that their namespace must say why it does not end.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "tests/sim/actor.h"

namespace skiff::sim {

inline constexpr std::string_view kHoldFinalizer = "sim.skiff.dev/hold";

class ChurnActor final : public Actor {
 public:
  ChurnActor(Cluster& cluster, Guarantees& guarantees, int number);

 protected:
  Task<void> Step() override;
  Task<void> CleanUp() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(700); }

 private:
  struct Held {
    const client::ApiResource* resource;
    client::ObjectName name;
  };
  Task<void> Fill(std::string name_space);
  // False: it has to be tried again.
  Task<bool> Release(Held held);

  int made_ = 0;
  std::deque<std::string> living_;
  std::deque<Held> held_;
};

// Says what keeps namespaces from being in order: one that is ending must end, unless something in
// it is held, and then say so in its conditions. Empty: all is well.
std::string NamespacesOutOfOrder(const Ledger& ledger);

}  // namespace skiff::sim
