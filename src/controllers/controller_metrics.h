// What control loops count and measure, under the names that Kubernetes gives it.
//
// There is one to a registry, for whichever managers follow one another. Any thread. The families
// outlive it, since they are the registry's.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"

namespace skiff::controllers {

class ControllerMetrics {
 public:
  explicit ControllerMetrics(MetricsRegistry& registry);

  void SetRunning(std::string_view controller, bool runs);
  // The garbage collector could not find out which resources there are, or see all objects of them.
  void CountGarbageSyncError() { garbage_sync_errors_.Add(); }
  // A pod was to be deleted by force, for one of Kubernetes' reasons ("orphaned").
  void CountPodDeletion(std::string_view name_space, std::string_view reason, bool failed);
  // A job was deleted so long after its time was over.
  void ObserveJobDeletion(Duration late);
  // The CA was published to a namespace, with the code of HTTP that it ended with.
  void ObserveRootCaSync(int code, Duration took);

 private:
  GaugeFamily& running_;
  Counter& garbage_sync_errors_;
  CounterFamily& pod_deletions_;
  CounterFamily& pod_deletion_errors_;
  Histogram& job_deletions_;
  CounterFamily& root_ca_syncs_;
  HistogramFamily& root_ca_durations_;
};

}  // namespace skiff::controllers
