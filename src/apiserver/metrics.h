// The metrics of the API server, each declared once: name, help, labels and buckets are those of
// kube-apiserver v1.36, whose dashboards and alerts therefore work.
//
// What the server can find out when it is asked (sizes, counts of objects) is added by whoever
// knows it, with the specs at the end and MetricsRegistry::AddCollected.
#pragma once

#include "base/metrics.h"

namespace skiff::apiserver {

// Values of labels go in the order of the arguments named in each comment.
struct ApiServerMetrics {
  explicit ApiServerMetrics(MetricsRegistry& registry);

  // code, component, dry_run, group, resource, scope, subresource, verb, version
  CounterFamily& request_total;
  // component, dry_run, group, resource, scope, subresource, verb, version
  HistogramFamily& request_duration_seconds;
  // component, group, resource, scope, subresource, verb, version
  HistogramFamily& request_sli_duration_seconds;
  HistogramFamily& response_sizes;
  GaugeFamily& longrunning_requests;
  // group, resource, scope, subresource, verb, version
  CounterFamily& request_aborts_total;
  // code, component, group, resource, scope, subresource, verb, version
  CounterFamily& request_terminations_total;
  // group, resource, verb
  HistogramFamily& request_body_size_bytes;
  // request_kind ("readOnly", "mutating"): the most within the last second
  GaugeFamily& current_inflight_requests;
  // group, removed_release, resource, subresource, version
  GaugeFamily& requested_deprecated_apis;
  CounterFamily& tls_handshake_errors_total;

  // group, resource, version
  CounterFamily& watch_events_total;
  HistogramFamily& watch_events_sizes;
  // group, resource, scope, version
  HistogramFamily& watch_list_duration_seconds;
  // group, resource
  CounterFamily& terminated_watchers_total;
  CounterFamily& watch_cache_events_dispatched_total;
  CounterFamily& watch_cache_events_received_total;
  CounterFamily& watch_cache_initializations_total;
  HistogramFamily& watch_cache_read_wait_seconds;
  // group, index, resource
  CounterFamily& cache_list_total;
  // group, resource
  CounterFamily& cache_list_returned_objects_total;
  CounterFamily& storage_list_total;
  CounterFamily& storage_decode_errors_total;
  CounterFamily& storage_events_received_total;

  // group, operation, resource
  HistogramFamily& etcd_request_duration_seconds;
  CounterFamily& etcd_requests_total;
  CounterFamily& etcd_request_errors_total;

  // username
  CounterFamily& authenticated_user_requests;
  // result ("success", "failure", "error")
  CounterFamily& authentication_attempts;
  HistogramFamily& authentication_duration_seconds;
  // result ("allowed", "denied", "no-opinion", "error")
  CounterFamily& authorization_attempts_total;
  HistogramFamily& authorization_duration_seconds;
  HistogramFamily& client_certificate_expiration_seconds;

  // operation ("CREATE", ...), rejected, type ("admit", "validate")
  HistogramFamily& admission_step_duration_seconds;
  // enforcement_action ("allow", "deny", "audit", "warn"), error_type, policy, policy_binding
  CounterFamily& validating_policy_check_total;
  HistogramFamily& validating_policy_check_seconds;
  // error_type, policy, policy_binding
  CounterFamily& mutating_policy_check_total;
  HistogramFamily& mutating_policy_check_seconds;
};

// Found out when asked for. Labels: resource ("pods", "deployments.apps").
extern const MetricSpec kStorageObjectsSpec;
// group, resource
extern const MetricSpec kResourceObjectsSpec;
// storage_cluster_id
extern const MetricSpec kStorageSizeBytesSpec;
// group, resource
extern const MetricSpec kWatchCacheResourceVersionSpec;

}  // namespace skiff::apiserver
