// A process with informers, whose handlers check that what they are told makes sense: nothing is
// added twice, changed or deleted without being there, and no state comes after a newer one; and
// that every state was there. It may be killed: a new one begins with nothing.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/informer.h"
#include "tests/sim/cluster.h"

namespace skiff::sim {

class Follower {
 public:
  Follower(Cluster& cluster, const std::string& name);
  ~Follower();

  void Start();
  void Crash();
  bool up() const { return process_ != nullptr; }
  const std::string& name() const { return name_; }
  SimClock& clock() { return process_->clock; }

  // How what the informers hold differs from the ledger. Empty: not at all.
  std::string Difference() const;

  // A bug for tests of the tests: handlers are not told of one in so many changes.
  void SetDeaf(uint32_t one_in) { deaf_one_in_ = one_in; }

 private:
  class Checker;

  Cluster& cluster_;
  const std::string name_;
  int lives_ = 0;
  uint32_t deaf_one_in_ = 0;
  std::unique_ptr<SimProcess> process_;
  std::unique_ptr<SimTransport> transport_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  std::unique_ptr<client::InformerSet> informers_;
};

}  // namespace skiff::sim
