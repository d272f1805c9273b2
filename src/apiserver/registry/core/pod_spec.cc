#include "apiserver/registry/core/pod_spec.h"

#include <limits>
#include <string>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/containers.h"
#include "apiserver/registry/core/env.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/pod_os.h"
#include "apiserver/registry/core/pod_resources.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/core/security_context.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace meta = views::meta_v1;

// With the network of the host, a port of the container is one of the host.
void ValidateHostNetworkPorts(const core::PodSpec& spec, const PodOptions& options,
                              FieldErrors& errors) {
  if (!spec.host_network()) return;
  const auto containers = spec.containers();
  for (size_t i = 0; i < containers.size(); ++i) {
    const auto ports = containers[i].ports();
    for (size_t j = 0; j < ports.size(); ++j) {
      const int32_t host_port = ports[j].host_port();
      if (host_port == ports[j].container_port() || (host_port == 0 && !options.is_pod)) continue;
      const auto container = errors.At("containers", i);
      const auto port = errors.At("ports", j);
      errors.Invalid("hostPort", host_port,
                     "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void ValidateImagePullSecrets(const core::PodSpec& spec, FieldErrors& errors) {
  const auto secrets = spec.image_pull_secrets();
  for (size_t i = 0; i < secrets.size(); ++i) {
    for (const object::Value& member : secrets[i].AsValue()->members()) {
      if (member.field() == core::LocalObjectReference::kName) continue;
      const auto at = errors.At("imagePullSecrets", i);
      errors.Invalid("", secrets[i].AsValue(), "only name may be set");
    }
  }
}

void ValidateDnsSearches(const core::PodDNSConfig& config, FieldErrors& errors) {
  constexpr size_t kMaxSearches = 32;
  constexpr size_t kMaxBytes = 2048;
  constexpr NameFormat kFormat{object::IsDns1123SubdomainWithUnderscore,
                               object::CheckDns1123SubdomainWithUnderscore};
  const auto searches = config.searches();
  if (searches.empty()) return;
  const object::Value* value = config.AsValue()->Member(core::PodDNSConfig::kSearches);
  size_t bytes = searches.size() - 1;
  for (const std::string_view search : searches) bytes += search.size();
  if (searches.size() > kMaxSearches) {
    errors.Invalid("searches", value, "must not have more than 32 search paths");
  }
  if (bytes > kMaxBytes) {
    errors.Invalid("searches", value,
                   "must not have more than 2048 characters (including spaces) in the search list");
  }
  for (size_t i = 0; i < searches.size(); ++i) {
    std::string_view search = searches[i];
    if (search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    const auto at = errors.At("searches", i);
    ValidateFormat(kFormat, search, "", errors);
  }
}

void ValidateDnsConfig(const core::PodSpec& spec, FieldErrors& errors) {
  constexpr size_t kMaxNameservers = 3;
  const core::PodDNSConfig config = spec.dns_config();
  const auto nameservers = config.nameservers();
  if (spec.dns_policy() == "None") {
    if (!spec.has_dns_config()) {
      return errors.Required("dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
    }
    if (nameservers.empty()) {
      return errors.Required("dnsConfig.nameservers",
                             "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (!spec.has_dns_config()) return;
  const auto at = errors.At("dnsConfig");
  if (nameservers.size() > kMaxNameservers) {
    errors.Invalid("nameservers", config.AsValue()->Member(core::PodDNSConfig::kNameservers),
                   "must not have more than 3 nameservers");
  }
  for (size_t i = 0; i < nameservers.size(); ++i) {
    const auto server = errors.At("nameservers", i);
    CheckOldIp(nameservers[i], "", errors);
  }
  ValidateDnsSearches(config, errors);
  const auto options = config.options();
  for (size_t i = 0; i < options.size(); ++i) {
    if (!options[i].name().empty()) continue;
    const auto option = errors.At("options", i);
    errors.Required("", "must not be empty");
  }
}

void ValidateGates(const core::PodSpec& spec, FieldErrors& errors) {
  const auto readiness = spec.readiness_gates();
  for (size_t i = 0; i < readiness.size(); ++i) {
    const auto at = errors.At("readinessGates", i);
    ValidateFormat(kQualifiedNameFormat, readiness[i].condition_type(), "conditionType", errors);
  }
  const auto scheduling = spec.scheduling_gates();
  SeenNames names;
  for (size_t i = 0; i < scheduling.size(); ++i) {
    const auto at = errors.At("schedulingGates", i);
    ValidateFormat(kQualifiedNameFormat, scheduling[i].name(), "", errors);
    if (!names.Add(scheduling[i].name())) errors.Duplicate("", scheduling[i].name());
  }
}

void ValidateHostnameOverride(const core::PodSpec& spec, FieldErrors& errors) {
  constexpr size_t kMaxBytes = 64;
  const std::optional<std::string_view> name = spec.hostname_override();
  if (!name) return;
  if (spec.set_hostname_as_fqdn().value_or(false)) {
    errors.Forbidden("hostnameOverride", "may not be specified when setHostnameAsFQDN is true");
  }
  if (spec.host_network()) {
    errors.Forbidden("hostnameOverride", "may not be specified when hostNetwork is true");
  }
  if (name->size() > kMaxBytes) errors.TooLong("hostnameOverride", kMaxBytes);
  ValidateFormat(kDnsSubdomainFormat, *name, "hostnameOverride", errors);
}

void ValidateHostAliases(const core::PodSpec& spec, FieldErrors& errors) {
  const auto aliases = spec.host_aliases();
  for (size_t i = 0; i < aliases.size(); ++i) {
    const auto at = errors.At("hostAliases", i);
    CheckOldIp(aliases[i].ip(), "ip", errors);
    const auto names = aliases[i].hostnames();
    for (size_t j = 0; j < names.size(); ++j) {
      if (object::IsDns1123Subdomain(names[j])) continue;
      const auto name = errors.At("hostnames", j);
      ValidateFormat(kDnsSubdomainFormat, names[j], "", errors);
    }
  }
}

void ValidateOptionalName(const NameFormat& format, std::string_view name, std::string_view field,
                          FieldErrors& errors) {
  if (!name.empty()) ValidateFormat(format, name, field, errors);
}

void ValidateRequiredChoice(std::string_view text, std::initializer_list<std::string_view> choices,
                            std::string_view field, FieldErrors& errors) {
  if (text.empty()) return errors.Required(field);
  ValidateOneOf(text, choices, field, errors);
}

// Names, deadlines and policies that stand in the spec itself.
void ValidateNamesAndPolicies(const core::PodSpec& spec, const PodOptions& options,
                              FieldErrors& errors) {
  ValidateOptionalName(kDnsSubdomainFormat, spec.service_account_name(), "serviceAccountName",
                       errors);
  ValidateOptionalName(kDnsSubdomainFormat, spec.node_name(), "nodeName", errors);
  if (const auto seconds = spec.active_deadline_seconds()) {
    ValidateInRange(*seconds, 1, std::numeric_limits<int32_t>::max(), "activeDeadlineSeconds",
                    errors);
  }
  ValidateOptionalName(kDnsLabelFormat, spec.hostname(), "hostname", errors);
  ValidateOptionalName(kDnsLabelFormat, spec.subdomain(), "subdomain", errors);
  ValidateTolerations(spec.tolerations(), "tolerations", options, errors);
  ValidateHostAliases(spec, errors);
  ValidateOptionalName(kDnsSubdomainFormat, spec.priority_class_name(), "priorityClassName",
                       errors);
  if (const auto name = spec.runtime_class_name()) {
    ValidateFormat(kDnsSubdomainFormat, *name, "runtimeClassName", errors);
  }
  if (const auto policy = spec.preemption_policy()) {
    ValidateRequiredChoice(*policy, {"PreemptLowerPriority", "Never"}, "preemptionPolicy", errors);
  }
  if (!spec.overhead().empty()) {
    const auto at = errors.At("overhead");
    ValidateOverhead(spec.overhead(), options, errors);
  }
}

void ValidateSchedulingGroup(const core::PodSpec& spec, FieldErrors& errors) {
  if (!spec.has_scheduling_group()) return;
  const auto at = errors.At("schedulingGroup");
  const std::optional<std::string_view> name = spec.scheduling_group().pod_group_name();
  if (!name) {
    const object::Value* absent = nullptr;
    return errors.Invalid("podGroupName", absent, "must specify one of: `podGroupName`");
  }
  ValidateFormat(kDnsSubdomainFormat, *name, "podGroupName", errors);
}

}  // namespace

void ValidatePodSpec(const core::PodSpec& spec, const meta::ObjectMeta& metadata,
                     const PodOptions& options, FieldErrors& errors) {
  if (!spec.termination_grace_period_seconds()) errors.Required("terminationGracePeriodSeconds");
  const std::string_view name = options.is_pod ? metadata.name() : std::string_view();
  ValidVolumes volumes;
  ValidateVolumes(spec.volumes(), name, options, volumes, errors);
  SeenNames claims;
  for (const core::PodResourceClaim claim : spec.resource_claims()) {
    if (!claim.name().empty()) claims.Add(claim.name());
  }
  ValidatePodResourceClaims(spec.resource_claims(), options.is_pod && IsMirrorPod(metadata),
                            errors);
  const PodOfContainer pod{spec, volumes, claims, options};
  ValidateContainers(pod, errors);
  ValidateInitContainers(pod, errors);
  ValidateEphemeralContainers(pod, errors);
  ValidatePodResources(spec, claims, options, errors);
  ValidateHostNetworkPorts(spec, options, errors);
  ValidateRequiredChoice(spec.restart_policy(), {"Always", "OnFailure", "Never"}, "restartPolicy",
                         errors);
  ValidateRequiredChoice(spec.dns_policy(),
                         {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
                         "dnsPolicy", errors);
  ValidateLabels(spec.node_selector(), "nodeSelector", errors);
  ValidatePodSecurityContext(spec, options, errors);
  ValidateImagePullSecrets(spec, errors);
  if (spec.has_affinity()) ValidateAffinity(spec.affinity(), options, errors);
  ValidateDnsConfig(spec, errors);
  ValidateGates(spec, errors);
  ValidateTopologySpread(spec.topology_spread_constraints(), options, errors);
  ValidateHostProcesses(spec, errors);
  ValidateHostUsers(spec, options, errors);
  ValidateHostnameOverride(spec, errors);
  ValidateNamesAndPolicies(spec, options, errors);
  ValidateOs(spec, errors);
  ValidateSchedulingGroup(spec, errors);
  ValidateEnvFileVolumes(spec, errors);
}

void ValidatePodSpec(const core::PodSpec& spec, const meta::ObjectMeta& metadata, bool in_template,
                     FieldErrors& errors) {
  ValidatePodSpec(spec, metadata, PodOptions{.is_pod = !in_template}, errors);
}

void ValidatePodTemplate(const core::PodTemplateSpec& pod, const PodOptions& options,
                         FieldErrors& errors) {
  const meta::ObjectMeta metadata = pod.metadata();
  const core::PodSpec spec = pod.spec();
  ValidateLabels(metadata.labels(), "labels", errors);
  ValidateAnnotations(metadata.annotations(), "annotations", errors);
  {
    const auto at = errors.At("annotations");
    ValidatePodAnnotations(metadata, spec, options, errors);
  }
  const auto at = errors.At("spec");
  ValidatePodSpec(spec, metadata, options, errors);
  ValidateProfilesOfAnnotations(metadata, spec, errors);
  if (!spec.ephemeral_containers().empty()) {
    errors.Forbidden("ephemeralContainers", "ephemeral containers not allowed in pod template");
  }
}

void ValidatePodTemplate(const core::PodTemplateSpec& pod, FieldErrors& errors) {
  ValidatePodTemplate(pod, PodOptions{}, errors);
}

void ValidatePodTemplate(const core::PodTemplateSpec& pod, const core::PodTemplateSpec& old,
                         FieldErrors& errors) {
  ValidatePodTemplate(pod, PodOptionsFor(old.spec(), old.metadata()), errors);
}

}  // namespace skiff::apiserver
