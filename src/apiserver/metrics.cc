#include "apiserver/metrics.h"

#include <array>

namespace skiff::apiserver {
namespace {

template <size_t kCount>
using Labels = std::array<std::string_view, kCount>;

constexpr Labels<7> kRequest{"component",   "group", "resource", "scope",
                             "subresource", "verb",  "version"};
constexpr Labels<9> kRequestWithCode{"code",  "component",   "dry_run", "group",  "resource",
                                     "scope", "subresource", "verb",    "version"};
constexpr Labels<8> kRequestWithDryRun{"component", "dry_run",     "group", "resource",
                                       "scope",     "subresource", "verb",  "version"};
constexpr Labels<6> kRequestAborted{"group", "resource", "scope", "subresource", "verb", "version"};
constexpr Labels<8> kRequestTerminated{"code",  "component",   "group", "resource",
                                       "scope", "subresource", "verb",  "version"};
constexpr Labels<2> kGroupResource{"group", "resource"};
constexpr Labels<3> kGroupResourceVerb{"group", "resource", "verb"};
constexpr Labels<3> kGroupResourceVersion{"group", "resource", "version"};
constexpr Labels<4> kGroupResourceScopeVersion{"group", "resource", "scope", "version"};
constexpr Labels<3> kGroupIndexResource{"group", "index", "resource"};
constexpr Labels<3> kGroupOperationResource{"group", "operation", "resource"};
constexpr Labels<1> kRequestKind{"request_kind"};
constexpr Labels<5> kDeprecated{"group", "removed_release", "resource", "subresource", "version"};
constexpr Labels<1> kUsername{"username"};
constexpr Labels<1> kResult{"result"};
constexpr Labels<3> kAdmissionStep{"operation", "rejected", "type"};
constexpr Labels<1> kResource{"resource"};
constexpr Labels<1> kCluster{"storage_cluster_id"};
constexpr std::array<double, 23> kSeconds{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8,
                                          1,     1.25,  1.5,  2,   3,   4,   5,   6,
                                          8,     10,    15,   20,  30,  45,  60};
constexpr std::array<double, 21> kSliSeconds{0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2, 3,
                                             4,    5,   6,   8,   10,  15,  20, 30,   45,  60};
constexpr std::array<double, 17> kWatchListSeconds{0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  2, 4,
                                                   6,    8,   10,  15,  20,  30,  45, 60};
constexpr std::array<double, 13> kReadWaitSeconds{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6,
                                                  0.8,   1,     1.25, 1.5, 2,   3};
constexpr std::array<double, 6> kAdmissionSeconds{0.005, 0.025, 0.1, 0.5, 1, 2.5};
constexpr std::array<double, 15> kAuthSeconds{0.001, 0.002, 0.004, 0.008, 0.016,
                                              0.032, 0.064, 0.128, 0.256, 0.512,
                                              1.024, 2.048, 4.096, 8.192, 16.384};
constexpr std::array<double, 7> kResponseBytes{1000, 10'000, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr std::array<double, 8> kEventBytes{1024,   2048,   4096,   8192,
                                            16'384, 32'768, 65'536, 131'072};
constexpr std::array<double, 31> kBodyBytes{
    50'000,    150'000,   250'000,   350'000,   450'000,   550'000,   650'000,   750'000,
    850'000,   950'000,   1'050'000, 1'150'000, 1'250'000, 1'350'000, 1'450'000, 1'550'000,
    1'650'000, 1'750'000, 1'850'000, 1'950'000, 2'050'000, 2'150'000, 2'250'000, 2'350'000,
    2'450'000, 2'550'000, 2'650'000, 2'750'000, 2'850'000, 2'950'000, 3'050'000};
constexpr std::array<double, 14> kExpirationSeconds{
    0,       1800,    3600,    7200,      21'600,    43'200,     86'400,
    172'800, 345'600, 604'800, 2'592'000, 7'776'000, 15'552'000, 31'104'000};

// The metrics that somebody counts in, in the order of ApiServerMetrics.
constexpr MetricSpec kRequestTotal{
    .name = "apiserver_request_total",
    .help = "[STABLE] Requests by verb, resource, scope, component, dry run and HTTP code.",
    .labels = kRequestWithCode};
constexpr MetricSpec kRequestDurationSeconds{
    .name = "apiserver_request_duration_seconds",
    .help =
        "[STABLE] Seconds from request to answer, by verb, resource, scope, component and dry run.",
    .labels = kRequestWithDryRun,
    .buckets = kSeconds};
constexpr MetricSpec kRequestSliDurationSeconds{
    .name = "apiserver_request_sli_duration_seconds",
    .help = "[ALPHA] Seconds from request to answer, without webhooks and waiting in queues.",
    .labels = kRequest,
    .buckets = kSliSeconds};
constexpr MetricSpec kResponseSizes{
    .name = "apiserver_response_sizes",
    .help = "[STABLE] Bytes of answers, by verb, resource, scope and component.",
    .labels = kRequest,
    .buckets = kResponseBytes};
constexpr MetricSpec kLongrunningRequests{
    .name = "apiserver_longrunning_requests",
    .help = "[STABLE] Long-running requests under way, such as watches.",
    .labels = kRequest};
constexpr MetricSpec kRequestAbortsTotal{
    .name = "apiserver_request_aborts_total",
    .help = "[ALPHA] Requests that ended before they were answered.",
    .labels = kRequestAborted};
constexpr MetricSpec kRequestTerminationsTotal{
    .name = "apiserver_request_terminations_total",
    .help = "[ALPHA] Requests that the server ended to protect itself.",
    .labels = kRequestTerminated};
constexpr MetricSpec kRequestBodySizeBytes{.name = "apiserver_request_body_size_bytes",
                                           .help = "[ALPHA] Bytes of request bodies.",
                                           .labels = kGroupResourceVerb,
                                           .buckets = kBodyBytes};
constexpr MetricSpec kCurrentInflightRequests{
    .name = "apiserver_current_inflight_requests",
    .help = "[STABLE] The most requests under way at once within the last second, by kind.",
    .labels = kRequestKind};
constexpr MetricSpec kRequestedDeprecatedApis{
    .name = "apiserver_requested_deprecated_apis",
    .help =
        "[STABLE] 1 for each deprecated API that was asked for, with the release that removes it.",
    .labels = kDeprecated};
constexpr MetricSpec kTlsHandshakeErrorsTotal{
    .name = "apiserver_tls_handshake_errors_total",
    .help = "[ALPHA] Connections whose TLS handshake failed."};
constexpr MetricSpec kWatchEventsTotal{.name = "apiserver_watch_events_total",
                                       .help = "[ALPHA] Events sent to watches.",
                                       .labels = kGroupResourceVersion};
constexpr MetricSpec kWatchEventsSizes{.name = "apiserver_watch_events_sizes",
                                       .help = "[ALPHA] Bytes of events sent to watches.",
                                       .labels = kGroupResourceVersion,
                                       .buckets = kEventBytes};
constexpr MetricSpec kWatchListDurationSeconds{
    .name = "apiserver_watch_list_duration_seconds",
    .help = "[BETA] Seconds until a watch with initial events had sent all of them.",
    .labels = kGroupResourceScopeVersion,
    .buckets = kWatchListSeconds};
constexpr MetricSpec kTerminatedWatchersTotal{
    .name = "apiserver_terminated_watchers_total",
    .help = "[ALPHA] Watches that were ended because their clients were too slow.",
    .labels = kGroupResource};
constexpr MetricSpec kWatchCacheEventsDispatchedTotal{
    .name = "apiserver_watch_cache_events_dispatched_total",
    .help = "[ALPHA] Events that the watch cache handed to watches.",
    .labels = kGroupResource};
constexpr MetricSpec kWatchCacheEventsReceivedTotal{
    .name = "apiserver_watch_cache_events_received_total",
    .help = "[ALPHA] Events that the watch cache received from the store.",
    .labels = kGroupResource};
constexpr MetricSpec kWatchCacheInitializationsTotal{
    .name = "apiserver_watch_cache_initializations_total",
    .help = "[ALPHA] How often the watch cache was filled.",
    .labels = kGroupResource};
constexpr MetricSpec kWatchCacheReadWaitSeconds{
    .name = "apiserver_watch_cache_read_wait_seconds",
    .help = "[ALPHA] Seconds that reads waited for the watch cache to be fresh enough.",
    .labels = kGroupResource,
    .buckets = kReadWaitSeconds};
constexpr MetricSpec kCacheListTotal{.name = "apiserver_cache_list_total",
                                     .help = "[ALPHA] Lists served from the watch cache.",
                                     .labels = kGroupIndexResource};
constexpr MetricSpec kCacheListReturnedObjectsTotal{
    .name = "apiserver_cache_list_returned_objects_total",
    .help = "[ALPHA] Objects in lists served from the watch cache.",
    .labels = kGroupResource};
constexpr MetricSpec kStorageListTotal{.name = "apiserver_storage_list_total",
                                       .help = "[ALPHA] Lists served from the store.",
                                       .labels = kGroupResource};
constexpr MetricSpec kStorageDecodeErrorsTotal{
    .name = "apiserver_storage_decode_errors_total",
    .help = "[ALPHA] Stored objects that could not be decoded.",
    .labels = kGroupResource};
constexpr MetricSpec kStorageEventsReceivedTotal{.name = "apiserver_storage_events_received_total",
                                                 .help = "[BETA] Events received from the store.",
                                                 .labels = kGroupResource};
constexpr MetricSpec kEtcdRequestDurationSeconds{
    .name = "etcd_request_duration_seconds",
    .help = "[ALPHA] Seconds that requests to the store took, by operation and resource.",
    .labels = kGroupOperationResource,
    .buckets = kSeconds};
constexpr MetricSpec kEtcdRequestsTotal{
    .name = "etcd_requests_total",
    .help = "[ALPHA] Requests to the store, by operation and resource.",
    .labels = kGroupOperationResource};
constexpr MetricSpec kEtcdRequestErrorsTotal{
    .name = "etcd_request_errors_total",
    .help = "[ALPHA] Requests to the store that failed, by operation and resource.",
    .labels = kGroupOperationResource};
constexpr MetricSpec kAuthenticatedUserRequests{
    .name = "authenticated_user_requests",
    .help = "[ALPHA] Authenticated requests by user name.",
    .labels = kUsername};
constexpr MetricSpec kAuthenticationAttempts{
    .name = "authentication_attempts",
    .help = "[ALPHA] Attempts at authentication by result.",
    .labels = kResult};
constexpr MetricSpec kAuthenticationDurationSeconds{
    .name = "authentication_duration_seconds",
    .help = "[ALPHA] Seconds that authentication took, by result.",
    .labels = kResult,
    .buckets = kAuthSeconds};
constexpr MetricSpec kAuthorizationAttemptsTotal{.name = "authorization_attempts_total",
                                                 .help = "[ALPHA] Authorizations by result.",
                                                 .labels = kResult};
constexpr MetricSpec kAuthorizationDurationSeconds{
    .name = "authorization_duration_seconds",
    .help = "[ALPHA] Seconds that authorization took, by result.",
    .labels = kResult,
    .buckets = kAuthSeconds};
constexpr MetricSpec kClientCertificateExpirationSeconds{
    .name = "apiserver_client_certificate_expiration_seconds",
    .help = "[ALPHA] How long the client certificates of requests will be valid, in seconds.",
    .buckets = kExpirationSeconds};
constexpr MetricSpec kAdmissionStepDurationSeconds{
    .name = "apiserver_admission_step_admission_duration_seconds",
    .help = "[STABLE] Seconds that all admission plugins together took, by phase and operation.",
    .labels = kAdmissionStep,
    .buckets = kAdmissionSeconds};

constexpr std::string_view kPolicyCheck[] = {"enforcement_action", "error_type", "policy",
                                             "policy_binding"};
constexpr std::string_view kMutationCheck[] = {"error_type", "policy", "policy_binding"};
constexpr double kPolicySeconds[] = {0.0000005, 0.001, 0.01, 0.1, 1};
constexpr MetricSpec kValidatingPolicyCheckTotal{
    .name = "apiserver_validating_admission_policy_check_total",
    .help = "[BETA] What came of validations of admission policies, by policy, binding and action.",
    .labels = kPolicyCheck};
constexpr MetricSpec kValidatingPolicyCheckSeconds{
    .name = "apiserver_validating_admission_policy_check_duration_seconds",
    .help = "[BETA] Seconds that single validations of admission policies took.",
    .labels = kPolicyCheck,
    .buckets = kPolicySeconds};
constexpr MetricSpec kMutatingPolicyCheckTotal{
    .name = "apiserver_mutating_admission_policy_check_total",
    .help = "[ALPHA] What came of mutations of admission policies, by policy and binding.",
    .labels = kMutationCheck};
constexpr MetricSpec kMutatingPolicyCheckSeconds{
    .name = "apiserver_mutating_admission_policy_check_duration_seconds",
    .help = "[ALPHA] Seconds that single mutations of admission policies took.",
    .labels = kMutationCheck,
    .buckets = kPolicySeconds};

}  // namespace

constexpr MetricSpec kStorageObjectsSpec{
    .name = "apiserver_storage_objects",
    .help = "[STABLE] (Deprecated since 1.34.0) Objects stored, by resource; -1: not known.",
    .labels = kResource};
constexpr MetricSpec kResourceObjectsSpec{
    .name = "apiserver_resource_objects",
    .help = "[ALPHA] Objects stored, by resource; -1: not known.",
    .labels = kGroupResource};
constexpr MetricSpec kStorageSizeBytesSpec{
    .name = "apiserver_storage_size_bytes",
    .help = "[STABLE] Bytes that the store takes on its disk.",
    .labels = kCluster};
constexpr MetricSpec kWatchCacheResourceVersionSpec{
    .name = "apiserver_watch_cache_resource_version",
    .help = "[ALPHA] The resource version that the watch cache has reached.",
    .labels = kGroupResource};

ApiServerMetrics::ApiServerMetrics(MetricsRegistry& registry)
    : request_total(registry.AddCounter(kRequestTotal)),
      request_duration_seconds(registry.AddHistogram(kRequestDurationSeconds)),
      request_sli_duration_seconds(registry.AddHistogram(kRequestSliDurationSeconds)),
      response_sizes(registry.AddHistogram(kResponseSizes)),
      longrunning_requests(registry.AddGauge(kLongrunningRequests)),
      request_aborts_total(registry.AddCounter(kRequestAbortsTotal)),
      request_terminations_total(registry.AddCounter(kRequestTerminationsTotal)),
      request_body_size_bytes(registry.AddHistogram(kRequestBodySizeBytes)),
      current_inflight_requests(registry.AddGauge(kCurrentInflightRequests)),
      requested_deprecated_apis(registry.AddGauge(kRequestedDeprecatedApis)),
      tls_handshake_errors_total(registry.AddCounter(kTlsHandshakeErrorsTotal)),
      watch_events_total(registry.AddCounter(kWatchEventsTotal)),
      watch_events_sizes(registry.AddHistogram(kWatchEventsSizes)),
      watch_list_duration_seconds(registry.AddHistogram(kWatchListDurationSeconds)),
      terminated_watchers_total(registry.AddCounter(kTerminatedWatchersTotal)),
      watch_cache_events_dispatched_total(registry.AddCounter(kWatchCacheEventsDispatchedTotal)),
      watch_cache_events_received_total(registry.AddCounter(kWatchCacheEventsReceivedTotal)),
      watch_cache_initializations_total(registry.AddCounter(kWatchCacheInitializationsTotal)),
      watch_cache_read_wait_seconds(registry.AddHistogram(kWatchCacheReadWaitSeconds)),
      cache_list_total(registry.AddCounter(kCacheListTotal)),
      cache_list_returned_objects_total(registry.AddCounter(kCacheListReturnedObjectsTotal)),
      storage_list_total(registry.AddCounter(kStorageListTotal)),
      storage_decode_errors_total(registry.AddCounter(kStorageDecodeErrorsTotal)),
      storage_events_received_total(registry.AddCounter(kStorageEventsReceivedTotal)),
      etcd_request_duration_seconds(registry.AddHistogram(kEtcdRequestDurationSeconds)),
      etcd_requests_total(registry.AddCounter(kEtcdRequestsTotal)),
      etcd_request_errors_total(registry.AddCounter(kEtcdRequestErrorsTotal)),
      authenticated_user_requests(registry.AddCounter(kAuthenticatedUserRequests)),
      authentication_attempts(registry.AddCounter(kAuthenticationAttempts)),
      authentication_duration_seconds(registry.AddHistogram(kAuthenticationDurationSeconds)),
      authorization_attempts_total(registry.AddCounter(kAuthorizationAttemptsTotal)),
      authorization_duration_seconds(registry.AddHistogram(kAuthorizationDurationSeconds)),
      client_certificate_expiration_seconds(
          registry.AddHistogram(kClientCertificateExpirationSeconds)),
      admission_step_duration_seconds(registry.AddHistogram(kAdmissionStepDurationSeconds)),
      validating_policy_check_total(registry.AddCounter(kValidatingPolicyCheckTotal)),
      validating_policy_check_seconds(registry.AddHistogram(kValidatingPolicyCheckSeconds)),
      mutating_policy_check_total(registry.AddCounter(kMutatingPolicyCheckTotal)),
      mutating_policy_check_seconds(registry.AddHistogram(kMutatingPolicyCheckSeconds)) {}

}  // namespace skiff::apiserver
