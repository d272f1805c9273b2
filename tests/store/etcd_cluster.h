// A real etcd cluster for tests: one to five members of the installed etcd, on free ports of the
// loopback interface or in network namespaces that can be split, with temporary data directories.
//
//   if (auto why = EtcdCluster::Missing({.members = 3})) GTEST_SKIP() << *why;
//   auto cluster = EtcdCluster::Start(clock, {.members = 3});
//   ASSERT_TRUE(cluster) << cluster.error().message();
//   (*cluster)->Kill(0);
//
// The members die with this object, and with the test when it crashes; their data goes with this
// object. A member keeps its address and data from Kill or Stop to Restart: its ports are held by
// bound sockets of this object that never listen, which keeps everyone out but servers that are
// told the number. Members are numbered from zero.
//
// Thread-safe, except for construction, destruction and the partition calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/temporary_directory.h"
#include "tests/store/child_process.h"
#include "tests/store/split_network.h"

namespace skiff::testing {

struct EtcdClusterOptions {
  int members = 1;
  bool tls = false;         // clients must use TLS and show a certificate
  bool namespaces = false;  // each member in a network namespace of its own
  std::vector<std::string> extra_arguments = {};
};

class EtcdCluster {
 public:
  // Why such a cluster cannot run on this machine, or nothing if it can.
  static std::optional<std::string> Missing(const EtcdClusterOptions& options);
  // Returns when every member is healthy.
  static Result<std::unique_ptr<EtcdCluster>> Start(Clock& clock, EtcdClusterOptions options);
  ~EtcdCluster();

  int size() const { return static_cast<int>(members_.size()); }
  // URLs for clients.
  std::string endpoint(int member) const;
  std::vector<std::string> endpoints() const;
  // Numeric, for proxies.
  std::string client_address(int member) const { return members_.at(member)->client_address; }
  int client_port(int member) const { return members_.at(member)->client_port; }
  // With tls: PEM files.
  std::string ca_file() const { return directory_.path() + "/ca.pem"; }
  std::string client_certificate_file() const { return directory_.path() + "/client.pem"; }
  std::string client_key_file() const { return directory_.path() + "/client.key"; }

  // SIGKILL, and waits for the end.
  void Kill(int member);
  void KillAll();
  // SIGTERM, and waits for the end; SIGKILL when that takes too long.
  void Stop(int member);
  // Starts a member that does not run; does not wait until it is healthy.
  Result<void> Restart(int member);
  // The process stands still, as on a machine that hangs.
  void Pause(int member);
  void Resume(int member);
  bool Running(int member);

  // Whether the member serves linearizable reads.
  bool Healthy(int member);
  // Until all members that run are healthy.
  Result<void> WaitHealthy(Duration limit);
  // The member that believes to lead, among those that answer. During an election there may be
  // none.
  std::optional<int> Leader();
  Result<int> WaitForLeader(Duration limit);
  // Lets the present leader hand over to that member, and waits until it leads.
  Result<void> MoveLeader(int to);

  // With namespaces only; see SplitNetwork.
  Result<void> Partition(const std::vector<std::vector<int>>& groups);
  Result<void> Heal();
  Result<void> SetClientLink(int member, bool up);

  // Runs etcdctl against one member, for what the store under test shall not do itself.
  Result<std::string> Control(int member, std::vector<std::string> arguments);
  // The last lines that a member logged.
  std::string LogTail(int member) const;

 private:
  struct Member {
    std::string client_address;
    std::string peer_address;
    int client_port = 0;
    int peer_port = 0;
    int metrics_port = 0;  // plain HTTP, whatever clients use
    std::vector<int> reservations;
    std::mutex mutex;
    std::unique_ptr<ChildProcess> process;
  };

  EtcdCluster(Clock& clock, EtcdClusterOptions options);
  Result<void> MakeNetwork();
  Result<void> MakeCertificates();
  Result<int> ReservePort(Member& member);
  Result<void> StartProcess(int member);
  std::vector<std::string> CommandOf(int member) const;
  std::string DirectoryOf(int member) const;
  Result<std::string> MemberId(int member);

  Clock& clock_;
  const EtcdClusterOptions options_;
  TemporaryDirectory directory_;
  std::unique_ptr<SplitNetwork> network_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace skiff::testing
