#include "apiserver/registry/core/pod_status.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "apiserver/registry/core/pod.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

using Containers = object::ListView<core::Container>;
using Statuses = object::ListView<core::ContainerStatus>;

void ValidateConditionTypes(const core::PodStatus& status, FieldErrors& errors) {
  const auto conditions = status.conditions();
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto at = errors.At("conditions", i);
    if (conditions[i].observed_generation() < 0) {
      errors.Invalid("observedGeneration", conditions[i].observed_generation(),
                     "must be a non-negative integer");
    }
    const std::string_view type = conditions[i].type();
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    ValidateFormat(kQualifiedNameFormat, type, "Type", errors);
  }
}

void ValidateNominatedNode(const core::Pod& pod, const core::Pod& old, FieldErrors& errors) {
  const std::string_view name = pod.status().nominated_node_name();
  if (name.empty() || name == old.status().nominated_node_name()) return;
  ValidateFormat(kDnsSubdomainFormat, name, "nominatedNodeName", errors);
  if (!old.spec().node_name().empty()) {
    errors.Forbidden("nominatedNodeName",
                     "may not be set on pods that are already bound to a node");
  }
}

using ContainersByName = std::map<std::string_view, core::Container>;

ContainersByName FirstByName(const Containers& containers) {
  ContainersByName out;
  for (const core::Container container : containers) out.emplace(container.name(), container);
  return out;
}

bool MayAllRestart(const Containers& containers) {
  for (const core::Container container : containers) {
    for (const core::ContainerRestartRule rule : container.restart_policy_rules()) {
      if (rule.action() == "RestartAllContainers") return true;
    }
  }
  return false;
}

// The rule for this exit code restarts the container.
bool HasMatchingRule(const core::Container& container, int32_t exit_code) {
  for (const core::ContainerRestartRule rule : container.restart_policy_rules()) {
    if (!rule.has_exit_codes()) continue;
    bool listed = false;
    for (const int32_t code : rule.exit_codes().values()) listed |= code == exit_code;
    const std::string_view op = rule.exit_codes().operator_();
    if ((op == "In" && listed) || (op == "NotIn" && !listed)) {
      return rule.action() == "Restart" || rule.action() == "RestartAllContainers";
    }
  }
  return false;
}

bool ShouldRestart(const core::Container& container, std::string_view policy_of_pod,
                   int32_t exit_code) {
  std::string_view policy = policy_of_pod;
  if (const auto own = container.restart_policy()) {
    if (HasMatchingRule(container, exit_code)) return true;
    if (*own == "Always" || *own == "OnFailure" || *own == "Never") policy = *own;
  }
  if (policy == "OnFailure") return exit_code != 0;
  return policy != "Never";
}

// A container that has ended comes back only if it is to be restarted. `containers` are empty for
// ephemeral ones, which never are.
void ValidateTransitions(const Statuses& now, const Statuses& old, const Containers& containers,
                         std::string_view policy, std::string_view field, FieldErrors& errors) {
  SeenNames running;
  for (const core::ContainerStatus status : now) {
    if (!status.state().has_terminated()) running.Add(status.name());
  }
  const ContainersByName by_name = FirstByName(containers);
  for (size_t i = 0; i < old.size(); ++i) {
    if (!old[i].state().has_terminated() || !running.Has(old[i].name())) continue;
    const auto container = by_name.find(old[i].name());
    if (container != by_name.end() &&
        ShouldRestart(container->second, policy, old[i].state().terminated().exit_code())) {
      continue;
    }
    const auto at = errors.At(field, i);
    errors.Forbidden("state", "may not be transitioned to non-terminated state");
  }
}

void ValidateAllTransitions(const core::Pod& pod, const core::Pod& old, FieldErrors& errors) {
  const core::PodSpec spec = old.spec();
  const core::PodStatus now = pod.status();
  const core::PodStatus before = old.status();
  if (!MayAllRestart(spec.init_containers()) && !MayAllRestart(spec.containers())) {
    ValidateTransitions(now.container_statuses(), before.container_statuses(), spec.containers(),
                        spec.restart_policy(), "containerStatuses", errors);
    ValidateTransitions(now.init_container_statuses(), before.init_container_statuses(),
                        spec.init_containers(), spec.restart_policy(), "initContainerStatuses",
                        errors);
  }
  ValidateTransitions(now.ephemeral_container_statuses(), before.ephemeral_container_statuses(), {},
                      {}, "ephemeralContainerStatuses", errors);
}

void ValidateClaimStatuses(const core::PodStatus& status, const core::PodSpec& spec,
                           FieldErrors& errors) {
  const auto statuses = status.resource_claim_statuses();
  if (statuses.empty()) return;
  SeenNames claims;
  for (const core::PodResourceClaim claim : spec.resource_claims()) claims.Add(claim.name());
  SeenNames names;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const auto at = errors.At("resourceClaimStatuses", i);
    const std::string_view name = statuses[i].name();
    if (!claims.Has(name)) {
      errors.Invalid("name", name, "must match the name of an entry in `spec.resourceClaims`");
    }
    if (!names.Add(name)) errors.Duplicate("name", name);
    if (const auto claim = statuses[i].resource_claim_name()) {
      ValidateFormat(kDnsSubdomainFormat, *claim, "resourceClaimName", errors);
    }
  }
}

core::Container FindContainer(const Containers& containers, std::string_view name) {
  core::Container found;
  for (const core::Container container : containers) {
    if (container.name() == name) found = container;
  }
  return found;
}

void ValidateExtendedClaim(const core::PodStatus& status, const core::PodSpec& spec,
                           FieldErrors& errors) {
  if (!status.has_extended_resource_claim_status()) return;
  const auto at = errors.At("extendedResourceClaimStatus");
  const core::PodExtendedResourceClaimStatus claim = status.extended_resource_claim_status();
  const auto mappings = claim.request_mappings();
  if (mappings.empty()) {
    errors.Required("requestMappings", "at least one request mapping is required");
  }
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < mappings.size(); ++i) {
    const core::ContainerExtendedResourceRequest mapping = mappings[i];
    core::Container container = FindContainer(spec.containers(), mapping.container_name());
    if (container.AsValue() == nullptr) {
      container = FindContainer(spec.init_containers(), mapping.container_name());
    }
    {
      const auto item = errors.At("requestMappings", i);
      if (container.AsValue() == nullptr) {
        errors.Invalid("containerName", mapping.container_name(),
                       "must match the name of an entry in spec.initContainers.name or "
                       "spec.containers.name");
      } else if (!container.resources().requests().Contains(mapping.resource_name())) {
        errors.Invalid(
            "resourceName", mapping.resource_name(),
            "must match the extended resource name of an entry in "
            "spec.initContainers.resources.requests or spec.containers.resources.requests");
      }
    }
    ValidateFormat(kDnsLabelFormat, mapping.request_name(), "requestName", errors);
    if (seen.emplace(mapping.container_name(), mapping.resource_name(), mapping.request_name())
            .second) {
      continue;
    }
    const auto item = errors.At("requestMappings", i);
    errors.Duplicate("containerName", mapping.container_name());
    errors.Duplicate("resourceName", mapping.resource_name());
    errors.Duplicate("requestName", mapping.request_name());
  }
  ValidateRequiredFormat(kDnsSubdomainFormat, claim.resource_claim_name(), "resourceClaimName",
                         errors);
}

bool RefersTo(const core::PodStatus& status, const core::PodSpec& spec, std::string_view claim) {
  for (const core::PodResourceClaim each : spec.resource_claims()) {
    if (each.resource_claim_name() == claim) return true;
  }
  for (const core::PodResourceClaimStatus each : status.resource_claim_statuses()) {
    if (each.resource_claim_name() == claim) return true;
  }
  return false;
}

void ValidateNodeClaims(const core::PodStatus& status, const core::PodSpec& spec,
                        FieldErrors& errors) {
  const auto claims = status.node_allocatable_resource_claim_statuses();
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto at = errors.At("nodeAllocatableResourceClaimStatuses", i);
    const std::string_view name = claims[i].resource_claim_name();
    if (name.empty()) errors.Required("resourceClaimName", "must not be empty");
    if (!RefersTo(status, spec, name)) {
      errors.Invalid("resourceClaimName", name, "no mapping found in pod reference");
    }
    if (claims[i].containers().empty()) errors.Required("containers", "must not be empty");
    if (claims[i].resources().empty()) errors.Required("resources", "must not be empty");
    for (const auto& [resource, quantity] : claims[i].resources()) {
      const auto key = errors.AtKey("resources", resource);
      if (!IsNativeResource(resource)) {
        errors.Invalid("", resource, "must be a node allocatable resource name");
      }
      if (ParsedQuantity(quantity).Sign() < 0) {
        errors.Invalid("", quantity, "must be non-negative");
      }
    }
  }
}

// podIPs or hostIPs: at most one of each family. Those that were there before may stay as they are.
template <typename Ip>
void ValidateIps(const object::ListView<Ip>& ips, const object::ListView<Ip>& old,
                 const object::Value* shown, std::string_view field, FieldErrors& errors) {
  SeenNames known;
  for (const Ip ip : old) known.Add(ip.ip());
  int families[2] = {0, 0};
  std::optional<size_t> unread;
  for (size_t i = 0; i < ips.size(); ++i) {
    const std::optional<IpAddress> address = ReadIp(ips[i].ip());
    if (!address && !unread) unread = i;
    if (address) ++families[address->is_v4() ? 0 : 1];
    const auto at = errors.At(field, i);
    if (!known.Has(ips[i].ip())) CheckOldIp(ips[i].ip(), "", errors);
  }
  if (ips.size() <= 1) return;
  if (unread) {
    errors.Internal(field, "failed to check for dual stack with error:invalid IP[" +
                               std::to_string(*unread) + "]: " + std::string(ips[*unread].ip()));
  }
  if (unread || families[0] != 1 || families[1] != 1) {
    errors.Invalid(field, shown, "may specify no more than one IP for each IP family");
  }
}

void ValidateAllIps(const core::PodStatus& status, const core::PodStatus& old,
                    FieldErrors& errors) {
  if (status.AsValue() == nullptr) return;
  ValidateIps(status.pod_ips(), old.pod_ips(), status.AsValue()->Member(core::PodStatus::kPodIPs),
              "podIPs", errors);
  const auto host_ips = status.host_ips();
  if (host_ips.empty()) return;
  if (status.host_ip() != host_ips[0].ip()) {
    const auto at = errors.At("hostIPs", 0);
    errors.Invalid("ip", host_ips[0].ip(), "must be equal to `hostIP`");
  }
  ValidateIps(host_ips, old.host_ips(), status.AsValue()->Member(core::PodStatus::kHostIPs),
              "hostIPs", errors);
}

void ValidateUsers(const Statuses& statuses, std::string_view os, std::string_view field,
                   FieldErrors& errors) {
  constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (!statuses[i].user().has_linux()) continue;
    const core::LinuxContainerUser user = statuses[i].user().linux();
    const auto at = errors.At(field, i);
    if (os == "windows") errors.Forbidden("user.linux", "cannot be set for a windows pod");
    if (os != "linux") continue;
    const auto place = errors.At("user.linux");
    ValidateInRange(user.uid(), 0, kMaxId, "uid", errors);
    ValidateInRange(user.gid(), 0, kMaxId, "gid", errors);
    const auto groups = user.supplemental_groups();
    for (size_t j = 0; j < groups.size(); ++j) {
      const auto group = errors.At("supplementalGroups", j);
      ValidateInRange(groups[j], 0, kMaxId, "", errors);
    }
  }
}

constexpr std::string_view kClaim = "claim:";

// What each container asks for, found out once.
class WantedResources {
 public:
  // "claim:name/request", "claim:name", or the name of a resource.
  bool Has(const core::Container& container, std::string_view resource) {
    if (!resource.starts_with(kClaim)) return container.resources().requests().Contains(resource);
    const auto [known, is_new] = claims_.try_emplace(container.AsValue());
    if (is_new) {
      for (const core::ResourceClaim claim : container.resources().claims()) {
        std::string name(claim.name());
        if (!claim.request().empty()) (name += '/') += claim.request();
        known->second.insert(std::move(name));
      }
    }
    return known->second.contains(resource.substr(kClaim.size()));
  }

 private:
  std::map<const object::Value*, std::set<std::string, std::less<>>> claims_;
};

void ValidateHealth(const object::ListView<core::ResourceHealth>& resources, FieldErrors& errors) {
  constexpr size_t kMaxMessageBytes = 1024;
  SeenNames ids;
  for (size_t i = 0; i < resources.size(); ++i) {
    const auto at = errors.At("resources", i);
    ValidateOneOf(resources[i].health(), {"Healthy", "Unhealthy", "Unknown"}, "health", errors);
    if (const auto message = resources[i].message()) {
      if (message->empty()) {
        errors.Required("message", "must be non-empty if specified");
      } else if (message->size() > kMaxMessageBytes) {
        errors.TooLong("message", kMaxMessageBytes);
      }
    }
    if (!ids.Add(resources[i].resource_id())) {
      errors.Duplicate("resourceID", resources[i].resource_id());
    }
  }
}

void ValidateAllocated(const Statuses& statuses, const Containers& containers,
                       std::string_view field, FieldErrors& errors) {
  const ContainersByName by_name = FirstByName(containers);
  WantedResources wanted;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const auto allocated = statuses[i].allocated_resources_status();
    if (allocated.empty()) continue;
    const auto at = errors.At(field, i);
    const auto container = by_name.find(statuses[i].name());
    for (size_t j = 0; j < allocated.size(); ++j) {
      const auto item = errors.At("allocatedResourcesStatus", j);
      if (container != by_name.end() && !wanted.Has(container->second, allocated[j].name())) {
        errors.Invalid("name", allocated[j].name(),
                       allocated[j].name().starts_with(kClaim)
                           ? "must match one of the container's resource claims in a format "
                             "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is "
                             "empty"
                           : "must match one of the container's resource requests");
      }
      ValidateHealth(allocated[j].resources(), errors);
    }
  }
}

void ForbidAllocated(const Statuses& statuses, std::string_view field, FieldErrors& errors) {
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].allocated_resources_status().empty()) continue;
    const auto at = errors.At(field, i);
    errors.Forbidden("allocatedResourcesStatus", "must not be specified in container status");
  }
}

void ValidateVolumeStatuses(const Statuses& statuses, std::string_view field, FieldErrors& errors) {
  constexpr size_t kMaxImageBytes = 256;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const auto mounts = statuses[i].volume_mounts();
    for (size_t j = 0; j < mounts.size(); ++j) {
      if (!mounts[j].volume_status().has_image()) continue;
      const std::string_view image = mounts[j].volume_status().image().image_ref();
      const auto at = errors.At(field, i);
      const auto mount = errors.At("volumeMounts", j);
      constexpr std::string_view kField = "volumeStatus.imageVolumeStatus.imageRef";
      if (image.empty()) errors.Required(kField, "imageRef must not be empty");
      if (image.size() > kMaxImageBytes) errors.TooLong(kField, kMaxImageBytes);
    }
  }
}

}  // namespace

void ValidatePodStatusUpdate(const object::Document& object, const object::Document& old_object,
                             FieldErrors& errors) {
  const core::Pod pod(object);
  const core::Pod old(old_object);
  const core::PodStatus status = pod.status();
  const core::PodSpec spec = pod.spec();
  {
    const auto at = errors.At("metadata");
    const auto annotations = errors.At("annotations");
    ValidatePodAnnotationsUpdate(pod.metadata(), old.metadata(), errors);
    ValidatePodAnnotations(pod.metadata(), spec, OptionsForUpdateOf(old), errors);
  }
  const auto at = errors.At("status");
  ValidateConditionTypes(status, errors);
  if (spec.node_name() != old.spec().node_name()) {
    errors.Forbidden("nodeName", "may not be changed directly");
  }
  ValidateNominatedNode(pod, old, errors);
  if (status.observed_generation() < 0) {
    errors.Invalid("observedGeneration", status.observed_generation(),
                   "must be a non-negative integer");
  }
  ValidateImmutable(old.status().qos_class(), status.qos_class(), "qosClass", errors);
  ValidateAllTransitions(pod, old, errors);
  ValidateClaimStatuses(status, spec, errors);
  ValidateExtendedClaim(status, spec, errors);
  ValidateNodeClaims(status, spec, errors);
  ValidateAllIps(status, old.status(), errors);
  const std::string_view os = spec.has_os() ? spec.os().name() : "linux";
  ValidateUsers(status.container_statuses(), os, "containerStatuses", errors);
  ValidateUsers(status.init_container_statuses(), os, "initContainerStatuses", errors);
  ValidateUsers(status.ephemeral_container_statuses(), os, "ephemeralContainerStatuses", errors);
  ValidateAllocated(status.container_statuses(), spec.containers(), "containerStatuses", errors);
  ValidateAllocated(status.init_container_statuses(), spec.init_containers(),
                    "initContainerStatuses", errors);
  ForbidAllocated(status.ephemeral_container_statuses(), "ephemeralContainerStatuses", errors);
  if (!errors.IsOn("ImageVolumeWithDigest")) return;
  ValidateVolumeStatuses(status.container_statuses(), "containerStatuses", errors);
  ValidateVolumeStatuses(status.init_container_statuses(), "initContainerStatuses", errors);
  ValidateVolumeStatuses(status.ephemeral_container_statuses(), "ephemeralContainerStatuses",
                         errors);
}

}  // namespace skiff::apiserver
