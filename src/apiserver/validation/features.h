// Feature gates that decide what the rules of kinds allow, and which fields exist for clients at
// all. What they allow in pods is in pod_options.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace skiff {

enum class Feature : uint8_t {
  kStaticAdmissionConfig,
  kMutableVolumeNodeAffinity,
  kStrictAddresses,
  kScaleToZero,
  kAutoscalerTolerance,
  kTerminatingReplicas,
  kMaxUnavailableOfStatefulSets,
  kMutableResourcesOfSuspendedJobs,
  kMutableSchedulingOfSuspendedJobs,
  kNodeDeclaredFeatures,
  kCrossNamespaceDataSources,
  kVolumeLimitScaling,
  kCoordinatedLeaderElection,
  kWipedServiceCidrStatus,
  kDeviceCapacity,
  kDeviceBindingConditions,
  kDeviceTaints,
  kDeviceExtendedResources,
  kDeviceListAttributes,
  kDeviceNodeResources,
  kDevicePartitions,
  kDevicePriorities,
  kDeviceStatus,
  kDeviceStatusAuthorization,
  kClaimsOfWorkloads,
  kTopologyOfWorkloads,
  kPreemptionOfWorkloads,
  kImageVolumeDigests,
  kSplitLogStreams,
  kStreamsNeedCreate,
  kCount,
};

// Until SetFeatures(), all are as Kubernetes v1.36 has them by default.
bool IsOn(Feature feature);
// Once, before anything is served.
void SetFeatures(const std::function<bool(std::string_view gate)>& is_gate_on);

// For tests: a feature is as they want it for as long as this lives.
class ScopedFeature {
 public:
  ScopedFeature(Feature feature, bool on);
  ScopedFeature(const ScopedFeature&) = delete;
  ScopedFeature& operator=(const ScopedFeature&) = delete;
  ~ScopedFeature();

 private:
  Feature feature_;
  bool before_;
};

}  // namespace skiff
