#include "controllers/controller_metrics.h"

#include <string>

namespace skiff::controllers {
namespace {

constexpr std::string_view kManagerName = "kube-controller-manager";

constexpr std::string_view kRunningLabels[] = {"manager", "name"};
constexpr std::string_view kPodLabels[] = {"namespace", "reason"};
constexpr std::string_view kCodeLabels[] = {"code"};
constexpr double kJobBounds[] = {0.1,  0.2,  0.4,  0.8,   1.6,   3.2,   6.4,
                                 12.8, 25.6, 51.2, 102.4, 204.8, 409.6, 819.2};
constexpr double kRootCaBounds[] = {0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128,
                                    0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384};

constexpr MetricSpec kRunning{.name = "running_managed_controllers",
                              .help = "[ALPHA] Whether a control loop runs in this process.",
                              .labels = kRunningLabels};
constexpr MetricSpec kGarbageSyncErrors{
    .name = "garbagecollector_controller_resources_sync_error_total",
    .help =
        "[ALPHA] How often the garbage collector failed to follow the resources that there are."};
constexpr MetricSpec kPodDeletions{.name = "pod_gc_collector_force_delete_pods_total",
                                   .help = "[ALPHA] Pods that were to be deleted by force.",
                                   .labels = kPodLabels};
constexpr MetricSpec kPodDeletionErrors{.name = "pod_gc_collector_force_delete_pod_errors_total",
                                        .help = "[ALPHA] Pods that could not be deleted by force.",
                                        .labels = kPodLabels};
constexpr MetricSpec kJobDeletions{
    .name = "ttl_after_finished_controller_job_deletion_duration_seconds",
    .help = "[ALPHA] How long after their time was over finished jobs were deleted.",
    .buckets = kJobBounds};
constexpr MetricSpec kRootCaSyncs{
    .name = "root_ca_cert_publisher_sync_total",
    .help = "[ALPHA] Namespaces that were looked at to publish the CA.",
    .labels = kCodeLabels};
constexpr MetricSpec kRootCaDurations{
    .name = "root_ca_cert_publisher_sync_duration_seconds",
    .help = "[ALPHA] How long it took to publish the CA to a namespace.",
    .labels = kCodeLabels,
    .buckets = kRootCaBounds};

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

ControllerMetrics::ControllerMetrics(MetricsRegistry& registry)
    : running_(registry.AddGauge(kRunning)),
      garbage_sync_errors_(registry.AddCounter(kGarbageSyncErrors).With({})),
      pod_deletions_(registry.AddCounter(kPodDeletions)),
      pod_deletion_errors_(registry.AddCounter(kPodDeletionErrors)),
      job_deletions_(registry.AddHistogram(kJobDeletions).With({})),
      root_ca_syncs_(registry.AddCounter(kRootCaSyncs)),
      root_ca_durations_(registry.AddHistogram(kRootCaDurations)) {}

void ControllerMetrics::SetRunning(std::string_view controller, bool runs) {
  running_.With({kManagerName, controller}).Set(runs ? 1 : 0);
}

void ControllerMetrics::CountPodDeletion(std::string_view name_space, std::string_view reason,
                                         bool failed) {
  pod_deletions_.With({name_space, reason}).Add();
  if (failed) pod_deletion_errors_.With({name_space, reason}).Add();
}

void ControllerMetrics::ObserveJobDeletion(Duration late) { job_deletions_.Observe(Seconds(late)); }

void ControllerMetrics::ObserveRootCaSync(int code, Duration took) {
  const std::string text = std::to_string(code);
  root_ca_syncs_.With({text}).Add();
  root_ca_durations_.With({text}).Observe(Seconds(took));
}

}  // namespace skiff::controllers
