// What every control loop is made of, and the table of all that there are.
//
// A loop obtains what is desired and observes what is, both from informers; finds the difference;
// and does something about it through its client. It is told which object to look at by keys in its
// work queue and never acts on what an event says, so that any number of events may be lost or come
// twice. Coroutines of a loop wait for nothing but calls of its client, whose transport answers
// everything when it is closed; what is to happen later goes through AddAfter of the queue. So a
// loop ends when: its queue is stopped, the transport is closed, and nothing is under way.
//
// Everything runs on one executor.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "client/client.h"
#include "client/events.h"
#include "client/informer.h"
#include "client/work_queue_metrics.h"
#include "controllers/controller_metrics.h"

namespace skiff::controllers {

// As kube-controller-manager's flags set them.
struct ControllerOptions {
  int concurrent_namespace_syncs = 10;
  Duration namespace_sync_period = std::chrono::minutes(5);
  bool enable_garbage_collector = true;
  int concurrent_gc_syncs = 20;
  int concurrent_service_account_token_syncs = 5;
  int concurrent_resource_quota_syncs = 5;
  Duration resource_quota_sync_period = std::chrono::minutes(5);
  int concurrent_ttl_after_finished_syncs = 5;
  int64_t terminated_pod_gc_threshold = 12500;
  Duration legacy_token_clean_up_period = std::chrono::hours(8760);  // without use
  std::string root_ca = {};                      // PEM, for the config map in every namespace
  std::string service_account_private_key = {};  // PEM, for tokens in secrets; empty: none are made
};

struct ControllerContext {
  client::Client client;  // with the identity of this loop
  client::InformerSet& informers;
  Clock& clock;
  Random& random;
  Log& log;
  client::EventRecorder& events;
  const ControllerOptions& options;
  client::WorkQueueMetrics* queue_metrics = nullptr;  // for the options of work queues
  ControllerMetrics* metrics = nullptr;               // null: nobody counts
};

class Controller {
 public:
  virtual ~Controller() = default;
  // Adds handlers to informers; whoever calls it starts the informers afterwards. Nothing is done
  // before the informers that the loop needs are synced.
  virtual void Start() = 0;
  // Nothing is begun any more; what is under way ends.
  virtual void Stop() = 0;
  // Nothing is waiting and nothing is under way, as far as is known now. What waits for a later
  // time does not count.
  virtual bool idle() const = 0;
  // How long the oldest of the steps that are under way has lasted; zero: none is.
  virtual Duration busy_for() const = 0;
  // How long a step may last before something must be wrong with the loop. Calls end by themselves
  // within a minute or so, and one step makes many.
  virtual Duration step_bound() const { return std::chrono::minutes(10); }
};

struct ControllerSpec {
  std::string_view name;   // "garbage-collector-controller"
  std::string_view alias;  // "garbagecollector"; empty: none
  bool on_by_default = true;
  // In kube-system; whose roles the loop has with --use-service-account-credentials. Empty: the
  // manager's own identity.
  std::string_view service_account;
  // Null: a loop that Kubernetes has and Skiff has not; its name may be given, to no effect. What
  // it makes may be null too: with these options there is nothing to do.
  std::unique_ptr<Controller> (*make)(ControllerContext context) = nullptr;
  // How many times more than others its client may ask, in the long run and at once.
  double qps_factor = 1;
  double burst_factor = 1;
};

// By name.
std::span<const ControllerSpec> AllControllers();

}  // namespace skiff::controllers
