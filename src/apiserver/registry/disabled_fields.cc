#include "apiserver/registry/disabled_fields.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "apiserver/registry/core/disabled_pod_fields.h"

namespace skiff::apiserver {
namespace {

// Paths are names with dots between them; `*` stands for every item of a list and for every value
// of a map.
struct GatedFields {
  std::string_view group;
  std::string_view resource;
  Gate feature;
  std::span<const std::string_view> fields;
  // What else shows in a stored object that the feature was on.
  std::span<const std::string_view> signs = {};
};

using Path = std::string_view;

constexpr Path kTolerances[] = {"spec.behavior.scaleUp.tolerance",
                                "spec.behavior.scaleDown.tolerance"};
constexpr Path kTerminating[] = {"status.terminatingReplicas"};
constexpr Path kMaxUnavailable[] = {"spec.updateStrategy.rollingUpdate.maxUnavailable"};
constexpr Path kNodeClaimStatuses[] = {"status.nodeAllocatableResourceClaimStatuses"};
constexpr Path kVolumeStatuses[] = {
    "status.containerStatuses.*.volumeMounts.*.volumeStatus",
    "status.initContainerStatuses.*.volumeMounts.*.volumeStatus",
    "status.ephemeralContainerStatuses.*.volumeMounts.*.volumeStatus"};
constexpr Path kDeclared[] = {"status.declaredFeatures"};
constexpr Path kPreventScheduling[] = {"spec.preventPodSchedulingIfMissing"};
constexpr Path kLeaseStrategy[] = {"spec.strategy"};
constexpr Path kPreferredHolder[] = {"spec.preferredHolder"};
constexpr Path kExtendedResource[] = {"spec.extendedResourceName"};

constexpr Path kSliceTaints[] = {"spec.devices.*.taints"};
constexpr Path kSlicePartitions[] = {
    "spec.sharedCounters",     "spec.perDeviceNodeSelection", "spec.devices.*.consumesCounters",
    "spec.devices.*.nodeName", "spec.devices.*.nodeSelector", "spec.devices.*.allNodes"};
constexpr Path kSliceBinding[] = {"spec.devices.*.bindingConditions",
                                  "spec.devices.*.bindingFailureConditions",
                                  "spec.devices.*.bindsToNode"};
constexpr Path kSliceCapacity[] = {"spec.devices.*.allowMultipleAllocations",
                                   "spec.devices.*.capacity.*.requestPolicy"};
constexpr Path kSliceNodeResources[] = {"spec.devices.*.nodeAllocatableResourceMappings"};
constexpr Path kSliceLists[] = {
    "spec.devices.*.attributes.*.bools", "spec.devices.*.attributes.*.ints",
    "spec.devices.*.attributes.*.strings", "spec.devices.*.attributes.*.versions"};

constexpr Path kClaimPriorities[] = {"spec.devices.requests.*.firstAvailable"};
constexpr Path kClaimTaints[] = {"spec.devices.requests.*.exactly.tolerations",
                                 "spec.devices.requests.*.firstAvailable.*.tolerations"};
constexpr Path kClaimCapacity[] = {"spec.devices.constraints.*.distinctAttribute",
                                   "spec.devices.requests.*.exactly.capacity",
                                   "spec.devices.requests.*.firstAvailable.*.capacity"};
constexpr Path kTemplatePriorities[] = {"spec.spec.devices.requests.*.firstAvailable"};
constexpr Path kTemplateTaints[] = {"spec.spec.devices.requests.*.exactly.tolerations",
                                    "spec.spec.devices.requests.*.firstAvailable.*.tolerations"};
constexpr Path kTemplateCapacity[] = {"spec.spec.devices.constraints.*.distinctAttribute",
                                      "spec.spec.devices.requests.*.exactly.capacity",
                                      "spec.spec.devices.requests.*.firstAvailable.*.capacity"};
constexpr Path kStatusDevices[] = {"status.devices"};
constexpr Path kStatusCapacity[] = {"status.allocation.devices.results.*.shareID",
                                    "status.allocation.devices.results.*.consumedCapacity",
                                    "status.devices.*.shareID"};
constexpr Path kStatusBinding[] = {"status.allocation.devices.results.*.bindingConditions",
                                   "status.allocation.devices.results.*.bindingFailureConditions"};

constexpr Path kGroupTopology[] = {"spec.schedulingConstraints"};
constexpr Path kGroupClaims[] = {"spec.resourceClaims"};
constexpr Path kGroupClaimStatuses[] = {"status.resourceClaimStatuses"};
constexpr Path kGroupDisruption[] = {"spec.disruptionMode"};
constexpr Path kGroupPriorityClass[] = {"spec.priorityClassName"};
constexpr Path kGroupPriority[] = {"spec.priority"};
constexpr Path kWorkloadTopology[] = {"spec.podGroupTemplates.*.schedulingConstraints"};
constexpr Path kWorkloadClaims[] = {"spec.podGroupTemplates.*.resourceClaims"};
constexpr Path kWorkloadDisruption[] = {"spec.podGroupTemplates.*.disruptionMode"};
constexpr Path kWorkloadPriorityClass[] = {"spec.podGroupTemplates.*.priorityClassName"};
constexpr Path kWorkloadPriority[] = {"spec.podGroupTemplates.*.priority"};

constexpr Path kDevices = "resource.k8s.io";
constexpr Path kScheduling = "scheduling.k8s.io";

constexpr GatedFields kGatedFields[] = {
    {"autoscaling", "horizontalpodautoscalers", Gate("HPAConfigurableTolerance"), kTolerances},
    {"apps", "deployments", Gate("DeploymentReplicaSetTerminatingReplicas"), kTerminating},
    {"apps", "replicasets", Gate("DeploymentReplicaSetTerminatingReplicas"), kTerminating},
    {"apps", "statefulsets", Gate("MaxUnavailableStatefulSet"), kMaxUnavailable},
    {"", "nodes", Gate("NodeDeclaredFeatures"), kDeclared},
    {"", "pods", Gate("DRANodeAllocatableResources"), kNodeClaimStatuses},
    {"", "pods", Gate("ImageVolumeWithDigest"), kVolumeStatuses},
    {"storage.k8s.io", "csidrivers", Gate("VolumeLimitScaling"), kPreventScheduling},
    {"coordination.k8s.io", "leases", Gate("CoordinatedLeaderElection"), kLeaseStrategy},
    {"coordination.k8s.io", "leases", Gate("CoordinatedLeaderElection"), kPreferredHolder},
    {kDevices, "deviceclasses", Gate("DRAExtendedResource"), kExtendedResource},
    {kDevices, "resourceslices", Gate("DRADeviceTaints"), kSliceTaints},
    {kDevices, "resourceslices", Gate("DRAPartitionableDevices"), kSlicePartitions},
    {kDevices, "resourceslices", Gate("DRADeviceBindingConditions"), kSliceBinding},
    // A binding condition is reported in the status of devices.
    {kDevices, "resourceslices", Gate("DRAResourceClaimDeviceStatus"), kSliceBinding},
    {kDevices, "resourceslices", Gate("DRAConsumableCapacity"), kSliceCapacity},
    {kDevices, "resourceslices", Gate("DRANodeAllocatableResources"), kSliceNodeResources},
    {kDevices, "resourceslices", Gate("DRAListTypeAttributes"), kSliceLists},
    {kDevices, "resourceclaims", Gate("DRAPrioritizedList"), kClaimPriorities},
    {kDevices, "resourceclaims", Gate("DRADeviceTaints"), kClaimTaints},
    {kDevices, "resourceclaims", Gate("DRAConsumableCapacity"), kClaimCapacity},
    {kDevices, "resourceclaims", Gate("DRAResourceClaimDeviceStatus"), kStatusDevices},
    {kDevices, "resourceclaims", Gate("DRAConsumableCapacity"), kStatusCapacity, kClaimCapacity},
    {kDevices, "resourceclaims", Gate("DRADeviceBindingConditions"), kStatusBinding},
    {kDevices, "resourceclaimtemplates", Gate("DRAPrioritizedList"), kTemplatePriorities},
    {kDevices, "resourceclaimtemplates", Gate("DRADeviceTaints"), kTemplateTaints},
    {kDevices, "resourceclaimtemplates", Gate("DRAConsumableCapacity"), kTemplateCapacity},
    {kScheduling, "podgroups", Gate("TopologyAwareWorkloadScheduling"), kGroupTopology},
    {kScheduling, "podgroups", Gate("DRAWorkloadResourceClaims"), kGroupClaims},
    {kScheduling, "podgroups", Gate("DRAWorkloadResourceClaims"), kGroupClaimStatuses,
     kGroupClaims},
    {kScheduling, "podgroups", Gate("WorkloadAwarePreemption"), kGroupDisruption},
    {kScheduling, "podgroups", Gate("WorkloadAwarePreemption"), kGroupPriorityClass},
    {kScheduling, "podgroups", Gate("WorkloadAwarePreemption"), kGroupPriority},
    {kScheduling, "workloads", Gate("TopologyAwareWorkloadScheduling"), kWorkloadTopology},
    {kScheduling, "workloads", Gate("DRAWorkloadResourceClaims"), kWorkloadClaims},
    {kScheduling, "workloads", Gate("WorkloadAwarePreemption"), kWorkloadDisruption},
    {kScheduling, "workloads", Gate("WorkloadAwarePreemption"), kWorkloadPriorityClass},
    {kScheduling, "workloads", Gate("WorkloadAwarePreemption"), kWorkloadPriority},
};

// Where objects have the spec of pods.
struct PodSpecPlace {
  std::string_view group;
  std::string_view resource;
  std::string_view path;
};
constexpr PodSpecPlace kPodSpecs[] = {
    {"", "pods", "spec"},
    {"", "podtemplates", "template.spec"},
    {"", "replicationcontrollers", "spec.template.spec"},
    {"apps", "daemonsets", "spec.template.spec"},
    {"apps", "deployments", "spec.template.spec"},
    {"apps", "replicasets", "spec.template.spec"},
    {"apps", "statefulsets", "spec.template.spec"},
    {"batch", "jobs", "spec.template.spec"},
    {"batch", "cronjobs", "spec.jobTemplate.spec.template.spec"},
};

// Calls with everything that holds the last name of the path.
template <typename AnyValue, typename Visit>
void VisitHolders(AnyValue& value, std::string_view path, const Visit& visit) {
  const size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  if (dot == std::string_view::npos) {
    if (value.is_object()) visit(value, name);
    return;
  }
  const std::string_view rest = path.substr(dot + 1);
  if (name != "*") {
    if (!value.is_object()) return;
    if (auto* next = value.Find(name)) VisitHolders(*next, rest, visit);
  } else if (value.is_list()) {
    for (auto& each : value.items()) VisitHolders(each, rest, visit);
  } else if (value.is_map()) {
    for (auto& each : value.entries()) VisitHolders(each.value, rest, visit);
  }
}

template <typename AnyValue>
AnyValue* FieldAt(AnyValue& object, std::string_view path) {
  AnyValue* found = nullptr;
  VisitHolders(object, path,
               [&found](AnyValue& holder, std::string_view name) { found = holder.Find(name); });
  return found;
}

bool IsEmpty(const object::Value& value) {
  if (value.is_list() || value.is_map()) return value.size() == 0;
  return value.is_null() || (value.is_string() && value.AsText().empty());
}

bool HasAny(const object::Value& object, std::span<const std::string_view> paths) {
  bool found = false;
  for (const std::string_view path : paths) {
    VisitHolders(object, path, [&found](const object::Value& holder, std::string_view name) {
      const object::Value* field = holder.Find(name);
      found |= field != nullptr && !IsEmpty(*field);
    });
  }
  return found;
}

}  // namespace

void DropDisabledFields(const FeatureGates& gates, const object::ResourceDesc& resource,
                        const object::Document* old, object::Document& object) {
  for (const GatedFields& each : kGatedFields) {
    if (gates.IsOn(each.feature) || each.resource != resource.name ||
        each.group != resource.version->desc->group) {
      continue;
    }
    const bool was_on =
        old != nullptr && (HasAny(old->root(), each.fields) || HasAny(old->root(), each.signs));
    if (was_on) continue;
    for (const std::string_view path : each.fields) {
      VisitHolders(object.root(), path,
                   [](object::Value& holder, std::string_view name) { holder.Erase(name); });
    }
  }
  for (const PodSpecPlace& each : kPodSpecs) {
    if (each.resource != resource.name || each.group != resource.version->desc->group) continue;
    object::Value* spec = FieldAt(object.root(), each.path);
    const object::Value* old_spec = old != nullptr ? FieldAt(old->root(), each.path) : nullptr;
    if (spec != nullptr) DropDisabledPodFields(gates, *spec, old_spec);
  }
}

}  // namespace skiff::apiserver
