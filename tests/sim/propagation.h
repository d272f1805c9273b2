// The two propagations of deletion that promise something about dependents:
//
// - Orphan: when the owner goes, its dependents are there and do not refer to it any more;
// - Foreground: the owner goes after the dependents that block it have gone, or let go of it.
//
// A collector can only honour what it knows, and its informers may be late. So it is noted what
// each of them has been told and in which order: a dependent counts that the collector had been
// told of before it was told that the owner is being deleted, and that has referred to the owner
// ever since.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/sim/cluster.h"
#include "tests/sim/managers.h"

namespace skiff::sim {

inline constexpr std::string_view kOrphaning = "orphan";
inline constexpr std::string_view kForeground = "foregroundDeletion";

class Propagation final : public CallObserver {
 public:
  Propagation(Cluster& cluster, const Managers& managers);
  ~Propagation() override;

  void OnSend(const std::string& process, const client::ClientCall& call) override;
  void OnTold(const std::string& process, const object::Document& object) override;
  // The server has acknowledged a deletion that asks for this finalizer.
  void OnAcknowledged(const std::string& key, const std::string& uid, std::string_view finalizer);

 private:
  // What one life of a collector has been told of one object, oldest first.
  struct Told {
    uint64_t order;
    int64_t revision;
    bool orphaning;
    bool foreground;
  };
  using Life = std::map<std::string, std::vector<Told>>;

  void OnEntry(const Entry& entry);
  void CheckDependents(const Recorded& owner, std::string_view finalizer);
  // Whether everybody who may have let the owner go knew of the dependent in time.
  bool Known(const Recorded& dependent, const Recorded& owner, std::string_view finalizer) const;
  bool ReferredSince(const Recorded& dependent, int64_t revision, const Recorded& owner,
                     bool blocking) const;

  Cluster& cluster_;
  const Managers& managers_;
  uint64_t order_ = 0;
  std::map<std::string, Life> lives_;
  // Who has asked to change the finalizers of what is under a key.
  std::map<std::string, std::set<std::string>> senders_;
  // What a client has deleted in the background, which takes the place of what was asked before.
  std::set<std::string> waived_;
};

}  // namespace skiff::sim
