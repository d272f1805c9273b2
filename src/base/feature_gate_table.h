// The feature gates of Kubernetes v1.36, with their stages and defaults: the one place that
// declares them. Code names a gate as Kubernetes does, Gate("HPAScaleToZero"), and the compiler
// looks it up; a name that is not in the table does not compile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace skiff {

enum class FeatureStage : uint8_t { kAlpha, kBeta, kGa, kDeprecated };

struct FeatureGate {
  std::string_view name;
  FeatureStage stage;
  bool on;              // by default
  bool locked = false;  // cannot be set to anything else
};

namespace feature_gates {

using enum FeatureStage;
inline constexpr bool kOn = true;
inline constexpr bool kOff = false;
inline constexpr bool kLocked = true;

// Sorted by name.
inline constexpr FeatureGate kTable[] = {
    {"APIResponseCompression", kBeta, kOn},
    {"APIServerIdentity", kBeta, kOn},
    {"APIServerTracing", kGa, kOn, kLocked},
    {"APIServingWithRoutine", kAlpha, kOff},
    {"AggregatedDiscoveryRemoveBetaType", kDeprecated, kOn, kLocked},
    {"AllowDNSOnlyNodeCSR", kDeprecated, kOff},
    {"AllowInsecureKubeletCertificateSigningRequests", kDeprecated, kOff},
    {"AllowOverwriteTerminationGracePeriodSeconds", kDeprecated, kOff, kLocked},
    {"AllowParsingUserUIDFromCertAuth", kBeta, kOn},
    {"AllowServiceExternalIPs", kGa, kOn},
    {"AllowUnsafeMalformedObjectDeletion", kAlpha, kOff},
    {"AnonymousAuthConfigurableEndpoints", kGa, kOn, kLocked},
    {"AnyVolumeDataSource", kGa, kOn, kLocked},
    {"AtomicFIFO", kBeta, kOn},
    {"AuthorizeNodeWithSelectors", kGa, kOn, kLocked},
    {"AuthorizePodWebsocketUpgradeCreatePermission", kBeta, kOn},
    {"AuthorizeWithSelectors", kGa, kOn, kLocked},
    {"BtreeWatchCache", kGa, kOn, kLocked},
    {"CBORServingAndStorage", kAlpha, kOff},
    {"CPUManagerPolicyAlphaOptions", kAlpha, kOff},
    {"CPUManagerPolicyBetaOptions", kBeta, kOn},
    {"CPUManagerPolicyOptions", kGa, kOn, kLocked},
    {"CRDObservedGenerationTracking", kBeta, kOn},
    {"CRDValidationRatcheting", kGa, kOn, kLocked},
    {"CRIListStreaming", kAlpha, kOff},
    {"CSIServiceAccountTokenSecrets", kGa, kOn, kLocked},
    {"CSIVolumeHealth", kAlpha, kOff},
    {"ChangeContainerStatusOnKubeletRestart", kDeprecated, kOff},
    {"ClearingNominatedNodeNameAfterBinding", kBeta, kOn},
    {"ClientsAllowCARotation", kBeta, kOn},
    {"ClientsAllowCBOR", kAlpha, kOff},
    {"ClientsAllowTLSCacheGC", kBeta, kOn},
    {"ClientsPreferCBOR", kAlpha, kOff},
    {"CloudControllerManagerWatchBasedRoutesReconciliation", kAlpha, kOff},
    {"CloudControllerManagerWebhook", kAlpha, kOff},
    {"ClusterTrustBundle", kBeta, kOff},
    {"ClusterTrustBundleProjection", kBeta, kOff},
    {"ComponentFlagz", kBeta, kOn},
    {"ComponentStatusz", kBeta, kOn},
    {"ConcurrentWatchObjectDecode", kBeta, kOff},
    {"ConsistentListFromCache", kGa, kOn, kLocked},
    {"ConstrainedImpersonation", kBeta, kOn},
    {"ContainerCheckpoint", kBeta, kOn},
    {"ContainerRestartRules", kBeta, kOn},
    {"ContainerStopSignals", kAlpha, kOff},
    {"ContextualLogging", kBeta, kOn},
    {"ControllerManagerReleaseLeaderElectionLockOnExit", kAlpha, kOff},
    {"CoordinatedLeaderElection", kBeta, kOff},
    {"CrossNamespaceVolumeDataSource", kAlpha, kOff},
    {"CustomCPUCFSQuotaPeriod", kGa, kOn},
    {"CustomResourceFieldSelectors", kGa, kOn, kLocked},
    {"DRAAdminAccess", kGa, kOn, kLocked},
    {"DRAConsumableCapacity", kBeta, kOn},
    {"DRADeviceBindingConditions", kBeta, kOn},
    {"DRADeviceTaintRules", kBeta, kOff},
    {"DRADeviceTaints", kBeta, kOn},
    {"DRAExtendedResource", kBeta, kOn},
    {"DRAListTypeAttributes", kAlpha, kOff},
    {"DRANodeAllocatableResources", kAlpha, kOff},
    {"DRAPartitionableDevices", kBeta, kOn},
    {"DRAPrioritizedList", kGa, kOn},
    {"DRAResourceClaimDeviceStatus", kBeta, kOn},
    {"DRAResourceClaimGranularStatusAuthorization", kBeta, kOn},
    {"DRAResourcePoolStatus", kAlpha, kOff},
    {"DRASchedulerFilterTimeout", kBeta, kOn},
    {"DRAWorkloadResourceClaims", kAlpha, kOff},
    {"DeclarativeValidation", kGa, kOn, kLocked},
    {"DeclarativeValidationBeta", kBeta, kOn},
    {"DeclarativeValidationTakeover", kDeprecated, kOff},
    {"DeploymentReplicaSetTerminatingReplicas", kBeta, kOn},
    {"DetectCacheInconsistency", kBeta, kOn},
    {"DisableAllocatorDualWrite", kGa, kOn, kLocked},
    {"DisableCPUQuotaWithExclusiveCPUs", kDeprecated, kOn},
    {"DisableNodeKubeProxyVersion", kDeprecated, kOn, kLocked},
    {"DynamicResourceAllocation", kGa, kOn, kLocked},
    {"EnvFiles", kBeta, kOn},
    {"EventedPLEG", kAlpha, kOff},
    {"ExecProbeTimeout", kGa, kOn, kLocked},
    {"ExtendWebSocketsToKubelet", kBeta, kOn},
    {"ExternalServiceAccountTokenSigner", kGa, kOn, kLocked},
    {"GangScheduling", kAlpha, kOff},
    {"GenericWorkload", kAlpha, kOff},
    {"GitRepoVolumeDriver", kDeprecated, kOff, kLocked},
    {"GracefulNodeShutdown", kBeta, kOn},
    {"GracefulNodeShutdownBasedOnPodPriority", kBeta, kOn},
    {"HPAConfigurableTolerance", kBeta, kOn},
    {"HPAScaleToZero", kAlpha, kOff},
    {"HostnameOverride", kBeta, kOn},
    {"ImageMaximumGCAge", kGa, kOn, kLocked},
    {"ImageVolume", kGa, kOn, kLocked},
    {"ImageVolumeWithDigest", kAlpha, kOff},
    {"InOrderInformers", kGa, kOn, kLocked},
    {"InOrderInformersBatchProcess", kBeta, kOn},
    {"InPlacePodLevelResourcesVerticalScaling", kBeta, kOn},
    {"InPlacePodVerticalScaling", kGa, kOn, kLocked},
    {"InPlacePodVerticalScalingExclusiveCPUs", kAlpha, kOff},
    {"InPlacePodVerticalScalingExclusiveMemory", kAlpha, kOff},
    {"InPlacePodVerticalScalingInitContainers", kBeta, kOn},
    {"InformerResourceVersion", kGa, kOn},
    {"JobBackoffLimitPerIndex", kGa, kOn, kLocked},
    {"JobManagedBy", kGa, kOn, kLocked},
    {"JobPodReplacementPolicy", kGa, kOn, kLocked},
    {"JobSuccessPolicy", kGa, kOn, kLocked},
    {"KMSv1", kDeprecated, kOff},
    {"KubeletCgroupDriverFromCRI", kGa, kOn, kLocked},
    {"KubeletCrashLoopBackOffMax", kBeta, kOn},
    {"KubeletEnsureSecretPulledImages", kBeta, kOn},
    {"KubeletFineGrainedAuthz", kGa, kOn, kLocked},
    {"KubeletInUserNamespace", kAlpha, kOff},
    {"KubeletPSI", kGa, kOn, kLocked},
    {"KubeletPodResourcesDynamicResources", kGa, kOn, kLocked},
    {"KubeletPodResourcesGet", kGa, kOn, kLocked},
    {"KubeletPodResourcesListUseActivePods", kDeprecated, kOn},
    {"KubeletRegistrationGetOnExistsOnly", kDeprecated, kOff},
    {"KubeletSeparateDiskGC", kBeta, kOn},
    {"KubeletServiceAccountTokenForCredentialProviders", kBeta, kOn},
    {"KubeletTracing", kGa, kOn, kLocked},
    {"ListFromCacheSnapshot", kBeta, kOn},
    {"LocalStorageCapacityIsolationFSQuotaMonitoring", kBeta, kOff},
    {"LogarithmicScaleDown", kGa, kOn, kLocked},
    {"LoggingAlphaOptions", kAlpha, kOff},
    {"LoggingBetaOptions", kBeta, kOn},
    {"ManifestBasedAdmissionControlConfig", kAlpha, kOff},
    {"MatchLabelKeysInPodAffinity", kGa, kOn, kLocked},
    {"MatchLabelKeysInPodTopologySpread", kBeta, kOn},
    {"MatchLabelKeysInPodTopologySpreadSelectorMerge", kBeta, kOn},
    {"MaxUnavailableStatefulSet", kBeta, kOff},
    {"MemoryQoS", kAlpha, kOff},
    {"MultiCIDRServiceAllocator", kGa, kOn, kLocked},
    {"MutableCSINodeAllocatableCount", kGa, kOn, kLocked},
    {"MutablePVNodeAffinity", kAlpha, kOff},
    {"MutablePodResourcesForSuspendedJobs", kBeta, kOn},
    {"MutableSchedulingDirectivesForSuspendedJobs", kBeta, kOn},
    {"MutatingAdmissionPolicy", kGa, kOn},
    {"NFTablesProxyMode", kGa, kOn, kLocked},
    {"NativeHistograms", kAlpha, kOff},
    {"NodeDeclaredFeatures", kBeta, kOn},
    {"NodeInclusionPolicyInPodTopologySpread", kGa, kOn, kLocked},
    {"NodeLogQuery", kGa, kOn, kLocked},
    {"NodeSwap", kGa, kOn, kLocked},
    {"NominatedNodeNameForExpectation", kBeta, kOn},
    {"OpenAPIEnums", kBeta, kOn},
    {"OpportunisticBatching", kBeta, kOn},
    {"OrderedNamespaceDeletion", kGa, kOn, kLocked},
    {"PLEGOnDemandRelist", kBeta, kOn},
    {"PersistentVolumeClaimUnusedSinceTime", kAlpha, kOff},
    {"PodAndContainerStatsFromCRI", kAlpha, kOff},
    {"PodCertificateRequest", kBeta, kOff},
    {"PodDeletionCost", kBeta, kOn},
    {"PodLevelResourceManagers", kAlpha, kOff},
    {"PodLevelResources", kBeta, kOn},
    {"PodLifecycleSleepAction", kGa, kOn, kLocked},
    {"PodLifecycleSleepActionAllowZero", kGa, kOn, kLocked},
    {"PodLogsQuerySplitStreams", kAlpha, kOff},
    {"PodObservedGenerationTracking", kGa, kOn, kLocked},
    {"PodReadyToStartContainersCondition", kBeta, kOn},
    {"PodSchedulingReadiness", kGa, kOn, kLocked},
    {"PodTopologyLabelsAdmission", kBeta, kOn},
    {"PodsAPI", kAlpha, kOff},
    {"PortForwardWebsockets", kBeta, kOn},
    {"PreferSameTrafficDistribution", kGa, kOn, kLocked},
    {"PreventStaticPodAPIReferences", kBeta, kOn},
    {"ProcMountType", kGa, kOn, kLocked},
    {"QOSReserved", kAlpha, kOff},
    {"RecoverVolumeExpansionFailure", kGa, kOn, kLocked},
    {"RecursiveReadOnlyMounts", kGa, kOn, kLocked},
    {"ReduceDefaultCrashLoopBackOffDecay", kAlpha, kOff},
    {"RelaxedDNSSearchValidation", kGa, kOn, kLocked},
    {"RelaxedEnvironmentVariableValidation", kGa, kOn, kLocked},
    {"RelaxedServiceNameValidation", kBeta, kOn},
    {"ReloadKubeletClientCAFile", kBeta, kOn},
    {"ReloadKubeletServerCertificateFile", kBeta, kOn},
    {"RemoteRequestHeaderUID", kBeta, kOn},
    {"ResilientWatchCacheInitialization", kGa, kOn, kLocked},
    {"ResourceHealthStatus", kBeta, kOn},
    {"ResourceHealthStatusMessage", kBeta, kOn},
    {"RestartAllContainersOnContainerExits", kBeta, kOn},
    {"RetryGenerateName", kGa, kOn, kLocked},
    {"RotateKubeletServerCertificate", kBeta, kOn},
    {"RuntimeClassInImageCriApi", kAlpha, kOff},
    {"SELinuxChangePolicy", kGa, kOn, kLocked},
    {"SELinuxMount", kBeta, kOff},
    {"SELinuxMountReadWriteOncePod", kGa, kOn, kLocked},
    {"SchedulerAsyncAPICalls", kBeta, kOff},
    {"SchedulerAsyncPreemption", kBeta, kOn},
    {"SchedulerPopFromBackoffQ", kBeta, kOn},
    {"SchedulerQueueingHints", kGa, kOn, kLocked},
    {"SeparateCacheWatchRPC", kDeprecated, kOff, kLocked},
    {"SeparateTaintEvictionController", kGa, kOn, kLocked},
    {"ServiceAccountNodeAudienceRestriction", kBeta, kOn},
    {"ServiceAccountTokenJTI", kGa, kOn, kLocked},
    {"ServiceAccountTokenNodeBinding", kGa, kOn, kLocked},
    {"ServiceAccountTokenNodeBindingValidation", kGa, kOn, kLocked},
    {"ServiceAccountTokenPodNodeInfo", kGa, kOn, kLocked},
    {"ServiceCIDRStatusFieldWiping", kDeprecated, kOn},
    {"ShardedListAndWatch", kAlpha, kOff},
    {"SidecarContainers", kGa, kOn, kLocked},
    {"SizeBasedListCostEstimate", kBeta, kOn},
    {"StaleControllerConsistencyDaemonSet", kBeta, kOn},
    {"StaleControllerConsistencyJob", kBeta, kOn},
    {"StaleControllerConsistencyReplicaSet", kBeta, kOn},
    {"StaleControllerConsistencyStatefulSet", kBeta, kOn},
    {"StatefulSetSemanticRevisionComparison", kBeta, kOn},
    {"StorageCapacityScoring", kAlpha, kOff},
    {"StorageNamespaceIndex", kDeprecated, kOn},
    {"StorageVersionAPI", kAlpha, kOff},
    {"StorageVersionHash", kBeta, kOn},
    {"StorageVersionMigrator", kBeta, kOff},
    {"StreamingCollectionEncodingToJSON", kGa, kOn, kLocked},
    {"StreamingCollectionEncodingToProtobuf", kGa, kOn, kLocked},
    {"StrictIPCIDRValidation", kBeta, kOn},
    {"StructuredAuthenticationConfiguration", kGa, kOn, kLocked},
    {"StructuredAuthenticationConfigurationEgressSelector", kBeta, kOn},
    {"StructuredAuthenticationConfigurationJWKSMetrics", kBeta, kOn},
    {"SupplementalGroupsPolicy", kGa, kOn, kLocked},
    {"SystemdWatchdog", kGa, kOn, kLocked},
    {"TaintTolerationComparisonOperators", kAlpha, kOff},
    {"TokenRequestServiceAccountUIDValidation", kBeta, kOn},
    {"TopologyAwareWorkloadScheduling", kAlpha, kOff},
    {"TopologyManagerPolicyAlphaOptions", kAlpha, kOff},
    {"TopologyManagerPolicyBetaOptions", kBeta, kOn},
    {"TopologyManagerPolicyOptions", kGa, kOn, kLocked},
    {"TranslateStreamCloseWebsocketRequests", kBeta, kOn},
    {"UnauthenticatedHTTP2DOSMitigation", kBeta, kOn},
    {"UnknownVersionInteroperabilityProxy", kBeta, kOn},
    {"UnlockWhileProcessingFIFO", kBeta, kOn},
    {"UserNamespacesHostNetworkSupport", kAlpha, kOff},
    {"UserNamespacesSupport", kGa, kOn, kLocked},
    {"VolumeAttributesClass", kGa, kOn, kLocked},
    {"VolumeLimitScaling", kAlpha, kOff},
    {"WatchCacheInitializationPostStartHook", kBeta, kOn},
    {"WatchList", kBeta, kOn},
    {"WatchListClient", kBeta, kOn},
    {"WinDSR", kGa, kOn, kLocked},
    {"WinOverlay", kGa, kOn, kLocked},
    {"WindowsCPUAndMemoryAffinity", kAlpha, kOff},
    {"WindowsGracefulNodeShutdown", kBeta, kOn},
    {"WindowsHostNetwork", kDeprecated, kOff},
    {"WorkloadAwarePreemption", kAlpha, kOff},
    {"WorkloadWithJob", kAlpha, kOff},
};
inline constexpr size_t kCount = std::size(kTable);
static_assert(std::ranges::is_sorted(kTable, {}, &FeatureGate::name));

}  // namespace feature_gates

// Null: there is no such gate.
constexpr const FeatureGate* FindFeatureGate(std::string_view name) {
  const FeatureGate* const found =
      std::ranges::lower_bound(feature_gates::kTable, name, {}, &FeatureGate::name);
  const FeatureGate* const end = feature_gates::kTable + feature_gates::kCount;
  return found != end && found->name == name ? found : nullptr;
}

class Gate {
 public:
  // Only for names that are written in the code.
  consteval Gate(const char* name) : desc_(FindFeatureGate(name)) {
    if (desc_ == nullptr) IsNotInTheTable();
  }

  constexpr std::string_view name() const { return desc_->name; }
  constexpr const FeatureGate& desc() const { return *desc_; }
  constexpr size_t index() const { return static_cast<size_t>(desc_ - feature_gates::kTable); }
  friend constexpr bool operator==(Gate, Gate) = default;

 private:
  // No constant expression, so that a call of it is an error of the compiler.
  static void IsNotInTheTable() {}

  const FeatureGate* desc_;
};

}  // namespace skiff
