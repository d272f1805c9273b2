// Instances of the controller manager that elect a leader among themselves, as
// kube-controller-manager does with --leader-elect: only who leads runs the loops, and who has lost
// the lead ends its process, which is started again.
//
// The observer of the network sees that nobody but the leader writes; here it is seen that there
// are never two.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "client/leader_election.h"
#include "controllers/manager.h"
#include "tests/sim/cluster.h"

namespace skiff::sim {

// What managers publish in every namespace.
inline constexpr std::string_view kRootCa =
    "-----BEGIN CERTIFICATE-----\nsimulated\n-----END CERTIFICATE-----\n";

class ManagerProcess;

class Managers final : public CallObserver {
 public:
  Managers(Cluster& cluster, int count);
  ~Managers() override;

  void Start();
  // Kills one; it comes back after that time.
  void Crash(size_t which, Duration back_after);
  // Kills one and begins nothing again.
  void StopAll();
  size_t size() const { return processes_.size(); }
  std::string NameOf(size_t which) const;
  // A name for this life of the process of an instance; empty: it is none.
  std::string LifeOf(const std::string& process) const;
  SimClock* ClockOf(size_t which);
  // Whether somebody leads and has nothing to do.
  bool idle() const;

  void OnSend(const std::string& process, const client::ClientCall& call) override;

  // Bugs for tests of the tests. Who has lost the lead goes on:
  void IgnoreLostLeads() { ignore_lost_leads_ = true; }
  // The collector is told that owners are not there, one in so many times it asks:
  void HideOwners(uint32_t one_in) { hide_owners_one_in_ = one_in; }
  // The collector is answered what this says:
  void LieToCollector(SimTransport::Lie lie) { collector_lie_ = std::move(lie); }
  const SimTransport::Lie& collector_lie() const { return collector_lie_; }
  // A loop does not run.
  void LeaveOut(std::string loop) { left_out_ = std::move(loop); }
  const std::string& left_out() const { return left_out_; }
  bool ignores_lost_leads() const { return ignore_lost_leads_; }
  uint32_t hide_owners_one_in() const { return hide_owners_one_in_; }

  void OnLead(const std::string& process);
  void OnLost(const std::string& process);
  Cluster& cluster() { return cluster_; }

 private:
  void StartOne(size_t which);
  void LookAfter();

  Cluster& cluster_;
  SimClock clock_;
  SimExecutor executor_;
  std::vector<std::unique_ptr<ManagerProcess>> processes_;
  // The ends of processes that were killed, which are destroyed when nothing of them is under way.
  std::vector<std::unique_ptr<ManagerProcess>> ending_;
  std::vector<int> lives_;
  std::set<std::string> leading_;
  std::string last_leader_;
  bool ignore_lost_leads_ = false;
  uint32_t hide_owners_one_in_ = 0;
  SimTransport::Lie collector_lie_;
  std::string left_out_;
  bool stopped_ = false;
};

}  // namespace skiff::sim
