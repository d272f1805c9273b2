#include "apiserver/validation/features.h"

#include <atomic>
#include <cstddef>

namespace skiff {
namespace {

struct Gate {
  std::string_view name;
  Feature feature;
  bool on;  // by default
};
constexpr Gate kGates[] = {
    {"ManifestBasedAdmissionControlConfig", Feature::kStaticAdmissionConfig, false},
    {"MutablePVNodeAffinity", Feature::kMutableVolumeNodeAffinity, false},
    {"StrictIPCIDRValidation", Feature::kStrictAddresses, true},
    {"HPAScaleToZero", Feature::kScaleToZero, false},
    {"HPAConfigurableTolerance", Feature::kAutoscalerTolerance, true},
    {"DeploymentReplicaSetTerminatingReplicas", Feature::kTerminatingReplicas, true},
    {"MaxUnavailableStatefulSet", Feature::kMaxUnavailableOfStatefulSets, false},
    {"MutablePodResourcesForSuspendedJobs", Feature::kMutableResourcesOfSuspendedJobs, true},
    {"MutableSchedulingDirectivesForSuspendedJobs", Feature::kMutableSchedulingOfSuspendedJobs,
     true},
    {"NodeDeclaredFeatures", Feature::kNodeDeclaredFeatures, true},
    {"CrossNamespaceVolumeDataSource", Feature::kCrossNamespaceDataSources, false},
    {"VolumeLimitScaling", Feature::kVolumeLimitScaling, false},
    {"CoordinatedLeaderElection", Feature::kCoordinatedLeaderElection, false},
    {"ServiceCIDRStatusFieldWiping", Feature::kWipedServiceCidrStatus, true},
    {"DRAConsumableCapacity", Feature::kDeviceCapacity, true},
    {"DRADeviceBindingConditions", Feature::kDeviceBindingConditions, true},
    {"DRADeviceTaints", Feature::kDeviceTaints, true},
    {"DRAExtendedResource", Feature::kDeviceExtendedResources, true},
    {"DRAListTypeAttributes", Feature::kDeviceListAttributes, false},
    {"DRANodeAllocatableResources", Feature::kDeviceNodeResources, false},
    {"DRAPartitionableDevices", Feature::kDevicePartitions, true},
    {"DRAPrioritizedList", Feature::kDevicePriorities, true},
    {"DRAResourceClaimDeviceStatus", Feature::kDeviceStatus, true},
    {"DRAResourceClaimGranularStatusAuthorization", Feature::kDeviceStatusAuthorization, true},
    {"DRAWorkloadResourceClaims", Feature::kClaimsOfWorkloads, false},
    {"TopologyAwareWorkloadScheduling", Feature::kTopologyOfWorkloads, false},
    {"WorkloadAwarePreemption", Feature::kPreemptionOfWorkloads, false},
    {"ImageVolumeWithDigest", Feature::kImageVolumeDigests, false},
    {"PodLogsQuerySplitStreams", Feature::kSplitLogStreams, false},
    {"AuthorizePodWebsocketUpgradeCreatePermission", Feature::kStreamsNeedCreate, true},
};
static_assert(std::size(kGates) == static_cast<size_t>(Feature::kCount));
static_assert(std::size(kGates) <= 64);

constexpr uint64_t BitOf(Feature feature) { return uint64_t{1} << static_cast<unsigned>(feature); }

constexpr uint64_t Defaults() {
  uint64_t on = 0;
  for (const Gate& gate : kGates) {
    if (gate.on) on |= BitOf(gate.feature);
  }
  return on;
}

constinit std::atomic<uint64_t> features_on{Defaults()};

void Set(Feature feature, bool on) {
  if (on) {
    features_on.fetch_or(BitOf(feature), std::memory_order_relaxed);
  } else {
    features_on.fetch_and(~BitOf(feature), std::memory_order_relaxed);
  }
}

}  // namespace

bool IsOn(Feature feature) {
  return (features_on.load(std::memory_order_relaxed) & BitOf(feature)) != 0;
}

void SetFeatures(const std::function<bool(std::string_view gate)>& is_gate_on) {
  for (const Gate& gate : kGates) Set(gate.feature, is_gate_on(gate.name));
}

ScopedFeature::ScopedFeature(Feature feature, bool on) : feature_(feature), before_(IsOn(feature)) {
  Set(feature, on);
}
ScopedFeature::~ScopedFeature() { Set(feature_, before_); }

}  // namespace skiff
