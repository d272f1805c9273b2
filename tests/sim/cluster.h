// All of a simulated cluster: the scheduler, the network, the API server and the truth about what
// it stores. Processes that speak to it are added by scenarios.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "tests/sim/counters.h"
#include "tests/sim/ledger.h"
#include "tests/sim/loop.h"
#include "tests/sim/network.h"
#include "tests/sim/scheduler.h"
#include "tests/sim/server.h"

namespace skiff::sim {

// One number for each use, all from the seed of the run.
uint64_t DeriveSeed(uint64_t seed, std::string_view use);

// Makes what every run begins with, if it has not been made in this process.
void PrepareCluster();

class Cluster {
 public:
  // On a disk that holds what every cluster has, unless it is to be empty.
  Cluster(uint64_t seed, uint32_t switch_one_in, bool empty_disk = false);
  ~Cluster();

  // What is wrong, in order of time; the first is what counts.
  void Fail(std::string what);
  const std::vector<std::string>& failures() const { return failures_; }
  // Shows what happens, for people.
  void Tell(std::string_view what);
  static bool verbose;

  // Starts the server and waits until it is ready.
  void Boot();
  // Has the server started again, however often that takes, `after` that time.
  void RestartServer(Duration after);

  uint64_t seed() const { return seed_; }
  Counters& counters() { return counters_; }
  Scheduler& scheduler() { return scheduler_; }
  SimLoop& loop() { return loop_; }
  SimNetwork& network() { return network_; }
  Ledger& ledger() { return ledger_; }
  SimServer& server() { return *server_; }

 private:
  class Sink final : public LogSink {
   public:
    void Write(std::string_view line) override;
  };

  const uint64_t seed_;
  Counters counters_;
  std::vector<std::string> failures_;
  Scheduler scheduler_;
  SimLoop loop_;
  SimClock clock_;
  SimExecutor executor_;
  SimNetwork network_;
  Ledger ledger_;
  Sink sink_;
  std::unique_ptr<SimServer> server_;
};

// A process that speaks to the API server: its clock, its randomness, its executor.
struct SimProcess {
  SimProcess(Cluster& cluster, const std::string& its_name, uint64_t seed)
      : name(its_name), clock(cluster.scheduler()), random(seed), executor(cluster.loop(), clock) {}

  const std::string name;
  SimClock clock;
  SeededRandom random;
  SimExecutor executor;
};

// A user who may do everything.
serving::UserInfo Admin();
serving::UserInfo ServiceAccountUser(std::string_view name);

}  // namespace skiff::sim
