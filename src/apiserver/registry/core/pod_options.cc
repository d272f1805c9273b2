#include "apiserver/registry/core/pod_options.h"

#include <utility>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/core/security_context.h"
#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

bool HasIndivisible(const object::MapView<std::string_view>& amounts) {
  for (const auto& [name, quantity] : amounts) {
    if (IsHugePageResource(name) && !IsDivisibleHugePageAmount(name, quantity)) return true;
  }
  return false;
}

bool HasIndivisibleHugePages(const core::PodSpec& spec) {
  bool found = HasIndivisible(spec.overhead());
  VisitContainers(spec, [&](const core::Container& container, std::string_view, size_t) {
    found |= HasIndivisible(container.resources().limits());
    found |= HasIndivisible(container.resources().requests());
  });
  return found;
}

template <typename PodAffinity>
bool HasInvalidSelectors(const PodAffinity& affinity) {
  for (const core::PodAffinityTerm term :
       affinity.required_during_scheduling_ignored_during_execution()) {
    if (!HasValidSelectors(term)) return true;
  }
  for (const core::WeightedPodAffinityTerm term :
       affinity.preferred_during_scheduling_ignored_during_execution()) {
    if (!HasValidSelectors(term.pod_affinity_term())) return true;
  }
  return false;
}

bool HasInvalidRequiredNodeAffinity(const core::PodSpec& spec) {
  const core::NodeSelector selector =
      spec.affinity().node_affinity().required_during_scheduling_ignored_during_execution();
  for (const core::NodeSelectorTerm term : selector.node_selector_terms()) {
    for (const core::NodeSelectorRequirement requirement : term.match_expressions()) {
      for (const std::string_view value : requirement.values()) {
        if (!object::IsLabelValue(value)) return true;
      }
    }
  }
  return false;
}

bool HasReservedTokenPath(const core::PodSpec& spec) {
  for (const core::Volume volume : spec.volumes()) {
    for (const core::VolumeProjection source : volume.projected().sources()) {
      if (source.has_service_account_token() &&
          !IsUnreservedPath(source.service_account_token().path())) {
        return true;
      }
    }
  }
  return false;
}

bool RestartsInitContainersOnResize(const core::PodSpec& spec) {
  for (const core::Container container : spec.init_containers()) {
    if (IsSidecar(container)) continue;
    for (const core::ContainerResizePolicy policy : container.resize_policy()) {
      if (policy.restart_policy() == "RestartContainer") return true;
    }
  }
  return false;
}

void TolerateOldSpread(const core::PodSpec& old, PodOptions& options) {
  for (const core::TopologySpreadConstraint constraint : old.topology_spread_constraints()) {
    options.allow_invalid_spread_selector |= !HasValidSelector(constraint);
    options.has_unmerged_match_label_keys |= !HasValidMatchLabelKeys(constraint);
  }
}

}  // namespace

PodOptions PodOptionsFor(const core::PodSpec& old, const views::meta_v1::ObjectMeta& old_meta) {
  PodOptions options;
  if (old.AsValue() == nullptr) return options;
  options.allow_invalid_deletion_cost = !HasValidDeletionCost(old_meta);
  options.allow_invalid_values_in_affinity =
      HasInvalidSelectors(old.affinity().pod_affinity()) ||
      HasInvalidSelectors(old.affinity().pod_anti_affinity());
  options.allow_invalid_values_in_required_node_affinity = HasInvalidRequiredNodeAffinity(old);
  options.allow_indivisible_huge_pages = HasIndivisibleHugePages(old);
  TolerateOldSpread(old, options);
  options.allow_any_token_path = HasReservedTokenPath(old);
  for (const core::Sysctl sysctl : old.security_context().sysctls()) {
    options.allow_sysctls_of_the_host |= !SharedWithTheHostBy(sysctl.name(), old).empty();
  }
  options.allow_any_se_linux_change_policy =
      old.security_context().se_linux_change_policy().has_value();
  options.allow_restart_on_resize_of_init_containers = RestartsInitContainersOnResize(old);
  if (!old.host_users().value_or(true)) {
    options.allow_host_network_without_host_users = old.host_network();
    VisitContainers(old, [&](const core::Container& container, std::string_view, size_t) {
      options.allow_volume_devices_without_host_users |= !container.volume_devices().empty();
    });
  }
  for (const core::Toleration toleration : old.tolerations()) {
    const std::string_view op = toleration.operator_();
    options.allow_comparing_tolerations |= op == "Lt" || op == "Gt";
  }
  return options;
}

}  // namespace skiff::apiserver
