// One of several instances acts, the others stand by: agreed upon through a Lease object.
//
// Who leads renews the lease; who cannot renew it in time must stop acting before anybody else may
// take over. Only the monotonic clock of this process is trusted: another's lease has ended when
// its record has not changed for its whole duration as seen from here. Belongs to the client's
// executor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "client/client.h"
#include "client/events.h"

namespace skiff::client {

// What all elections of a process show of themselves. The registry outlives it.
class LeaderElectionMetrics {
 public:
  explicit LeaderElectionMetrics(MetricsRegistry& registry);
  void SetLeads(const std::string& lease, bool leads);
  // A renewal had to read the lease first.
  void CountSlowPath(const std::string& lease);

 private:
  GaugeFamily& leads_;
  CounterFamily& slow_paths_;
};

struct LeaderElectionOptions {
  ObjectName lease;      // kube-system/kube-controller-manager
  std::string identity;  // unlike that of every other instance
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  bool release_on_stop = true;
  EventRecorder* events = nullptr;           // where it is told who leads; outlives the elector
  LeaderElectionMetrics* metrics = nullptr;  // null: nobody counts; else it outlives the elector
  Log* log = nullptr;                        // where failed requests are told
};

class LeaderElector {
 public:
  virtual ~LeaderElector() = default;
  // `on_lead` when this instance leads, `on_lost` at the latest when the renew deadline has passed
  // without a renewal; after that it never leads again.
  virtual void Start(std::function<void()> on_lead, std::function<void()> on_lost) = 0;
  // Gives the lease up, if it is held, and calls `done`.
  virtual void Stop(std::function<void()> done) = 0;
  virtual bool leads() const = 0;
  // When the lease was last renewed, by the monotonic clock; nothing unless this instance holds it
  // as far as it knows, even beyond its time.
  virtual std::optional<Duration> renewed() const = 0;
  // Who holds the lease, as last seen; empty: nobody.
  virtual const std::string& leader() const = 0;
};

std::unique_ptr<LeaderElector> MakeLeaderElector(Client client, LeaderElectionOptions options,
                                                 Random& random);

}  // namespace skiff::client
