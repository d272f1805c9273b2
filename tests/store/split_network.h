// A network of Linux namespaces that a test can split: one namespace per member of a cluster, a
// switch between them, and a link of its own from the test to each.
//
//   test's own network ── client link ── member 0 ── peer link ──┐
//                      ── client link ── member 1 ── peer link ──┤ switch
//                      ── client link ── member 2 ── peer link ──┘
//
// The switch is a namespace with a bridge per side of the split; a partition moves peer links from
// one bridge to another, so packets vanish as they do when a cable is cut. Nothing here has a name
// in the file system: the namespaces live as long as the descriptors of this object and the
// processes in them, and the kernel removes links with their namespace. What a crashed test leaves
// is gone after some minutes, or when the next network is made.
//
// Needs root with CAP_NET_ADMIN and CAP_SYS_ADMIN, and the `ip` program. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace skiff::testing {

class SplitNetwork {
 public:
  static constexpr int kMaxMembers = 5;

  // Why this machine cannot have one, or nothing if it can.
  static std::optional<std::string> Missing();
  static Result<std::unique_ptr<SplitNetwork>> Make(Clock& clock, int members);
  ~SplitNetwork();

  int network_namespace(int member) const { return members_.at(member); }
  // Where the test reaches a member, and where the members reach each other.
  std::string client_address(int member) const;
  std::string peer_address(int member) const;

  // Members of different groups can no longer reach each other. A member in no group is alone.
  Result<void> Partition(const std::vector<std::vector<int>>& groups);
  Result<void> Heal();
  // Between the test and a member.
  Result<void> SetClientLink(int member, bool up);

 private:
  explicit SplitNetwork(Clock& clock) : clock_(clock) {}
  void RemoveLinksOfCrashedTests();
  Result<void> ClaimClientLinks(int members);
  Result<void> ConnectMember(int member);
  // One `ip` command a line, in a namespace (-1: the test's own).
  Result<void> RunIp(int network_namespace, const std::string& lines);
  std::string LinkName(int member) const;
  std::string TestAddress(int member) const;

  Clock& clock_;
  int number_ = -1;  // which block of addresses is ours; part of the links' names
  int switch_ = -1;
  std::vector<int> members_;
};

}  // namespace skiff::testing
