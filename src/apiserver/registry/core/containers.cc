#include "apiserver/registry/core/containers.h"

#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "apiserver/registry/core/env.h"
#include "apiserver/registry/core/probes.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/core/security_context.h"
#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"

namespace skiff::apiserver {

namespace core = views::core_v1;

void ValidateImageText(const core::Container& container, FieldErrors& errors) {
  const std::string_view image = container.image();
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (image.empty() || (!is_space(image.front()) && !is_space(image.back()))) return;
  errors.Invalid("image", image, "must not have leading or trailing whitespace");
}

namespace {

void ValidatePorts(const core::Container& container, FieldErrors& errors) {
  const auto ports = container.ports();
  SeenNames names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const core::ContainerPort port = ports[i];
    const auto at = errors.At("ports", i);
    if (!port.name().empty()) {
      if (!object::IsPortName(port.name())) {
        ValidateFormat(kPortNameFormat, port.name(), "name", errors);
      } else if (!names.Add(port.name())) {
        errors.Duplicate("name", port.name());
      }
    }
    if (port.container_port() == 0) {
      errors.Required("containerPort");
    } else {
      ValidatePortNumber(port.container_port(), "containerPort", errors);
    }
    if (port.host_port() != 0) ValidatePortNumber(port.host_port(), "hostPort", errors);
    if (port.protocol().empty()) {
      errors.Required("protocol");
    } else {
      ValidateOneOf(port.protocol(), {"SCTP", "TCP", "UDP"}, "protocol", errors);
    }
  }
}

// Ports of the host that containers which run together take.
class HostPorts {
 public:
  void Validate(const core::Container& container, std::string_view list, size_t index,
                FieldErrors& errors) {
    const auto ports = container.ports();
    for (size_t i = 0; i < ports.size(); ++i) {
      const core::ContainerPort port = ports[i];
      if (port.host_port() == 0) continue;
      if (taken_.emplace(port.protocol(), port.host_ip(), port.host_port()).second) continue;
      const auto at = errors.At(list, index);
      const auto item = errors.At("ports", i);
      errors.Duplicate("hostPort", std::string(port.protocol()) + "/" +
                                       std::string(port.host_ip()) + "/" +
                                       std::to_string(port.host_port()));
    }
  }

 private:
  std::set<std::tuple<std::string_view, std::string_view, int32_t>> taken_;
};

void ValidateResizePolicies(const core::Container& container, std::string_view restart_policy,
                            FieldErrors& errors) {
  const auto policies = container.resize_policy();
  SeenNames names;
  for (size_t i = 0; i < policies.size(); ++i) {
    const core::ContainerResizePolicy policy = policies[i];
    if (!names.Add(policy.resource_name())) {
      const auto at = errors.At("resizePolicy", i);
      errors.Duplicate("", policy.resource_name());
    }
    if (policy.resource_name().empty()) {
      errors.Required("resizePolicy");
    } else {
      ValidateOneOf(policy.resource_name(), {"cpu", "memory"}, "resizePolicy", errors);
    }
    if (policy.restart_policy().empty()) {
      errors.Required("resizePolicy");
    } else {
      ValidateOneOf(policy.restart_policy(), {"NotRequired", "RestartContainer"}, "resizePolicy",
                    errors);
    }
    if (restart_policy == "Never" && policy.restart_policy() != "NotRequired") {
      errors.Invalid("resizePolicy", policy.restart_policy(),
                     "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

void ValidateRestartRules(const core::Container& container, FieldErrors& errors) {
  constexpr size_t kMaxRules = 20;
  constexpr size_t kMaxExitCodes = 255;
  const auto rules = container.restart_policy_rules();
  if (rules.size() > kMaxRules) errors.TooMany("restartPolicyRules", rules.size(), kMaxRules);
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto at = errors.At("restartPolicyRules", i);
    ValidateOneOf(rules[i].action(), {"Restart", "RestartAllContainers"}, "action", errors);
    if (!rules[i].has_exit_codes()) {
      errors.Required("exitCodes", "must be specified");
      continue;
    }
    const core::ContainerRestartRuleOnExitCodes codes = rules[i].exit_codes();
    ValidateOneOf(codes.operator_(), {"In", "NotIn"}, "exitCodes.operator", errors);
    if (codes.values().size() > kMaxExitCodes) {
      errors.TooMany("exitCodes.values", codes.values().size(), kMaxExitCodes);
    }
  }
}

void ValidateRestartPolicy(const core::Container& container, bool is_init, FieldErrors& errors) {
  const std::optional<std::string_view> policy = container.restart_policy();
  if (policy) {
    ValidateOneOf(*policy, {"Always", "Never", "OnFailure"}, "restartPolicy", errors);
  } else if (container.restart_policy_rules().empty()) {
    return;
  } else {
    errors.Required("restartPolicy", "must specify restartPolicy when restart rules are used");
    if (is_init) return;
  }
  ValidateRestartRules(container, errors);
}

// What holds for containers of every kind.
void ValidateContainer(const core::Container& container, const PodOfContainer& pod,
                       FieldErrors& errors) {
  ValidateRequiredFormat(kDnsLabelFormat, container.name(), "name", errors);
  ValidateRequired(container.image(), "image", errors);
  if (container.termination_message_policy().empty()) {
    errors.Required("terminationMessagePolicy");
  } else {
    ValidateOneOf(container.termination_message_policy(), {"File", "FallbackToLogsOnError"},
                  "terminationMessagePolicy", errors);
  }
  ValidatePorts(container, errors);
  ValidateEnv(container.env(), errors);
  ValidateEnvFrom(container.env_from(), errors);
  ValidateVolumeMounts(container, pod.volumes, errors);
  ValidateVolumeDevices(container, pod.volumes, errors);
  ValidatePullPolicy(container.image_pull_policy(), "imagePullPolicy", errors);
  if (container.has_resources()) {
    const auto at = errors.At("resources");
    ValidateContainerResources(container.resources(), pod.claims, pod.options, errors);
  }
  ValidateResizePolicies(container, pod.spec.restart_policy(), errors);
  if (container.has_security_context()) {
    ValidateSecurityContext(container.security_context(), pod.spec.host_users().value_or(true),
                            errors);
  }
}

void ValidateHooksAndProbes(const core::Container& container, const core::PodSpec& spec,
                            FieldErrors& errors) {
  if (container.has_lifecycle()) {
    ValidateLifecycle(container.lifecycle(), spec.termination_grace_period_seconds(),
                      spec.os().name(), errors);
  }
  ValidateProbes(container, errors);
}

void ForbidHooksAndProbes(const core::Container& container, FieldErrors& errors) {
  constexpr std::string_view kWhy =
      "may not be set for init containers without restartPolicy=Always";
  if (container.has_lifecycle()) errors.Forbidden("lifecycle", kWhy);
  if (container.has_liveness_probe()) errors.Forbidden("livenessProbe", kWhy);
  if (container.has_readiness_probe()) errors.Forbidden("readinessProbe", kWhy);
  if (container.has_startup_probe()) errors.Forbidden("startupProbe", kWhy);
}

void ForbidRestartOnResize(const core::Container& container, FieldErrors& errors) {
  const auto policies = container.resize_policy();
  for (size_t i = 0; i < policies.size(); ++i) {
    if (policies[i].restart_policy() != "RestartContainer") continue;
    const auto at = errors.At("resizePolicy", i);
    errors.Invalid("restartPolicy", policies[i].restart_policy(),
                   "must not be set to 'RestartContainer' for non-sidecar initContainers");
  }
}

// An ephemeral container is a guest: it takes no part in what the pod promises.
void ValidateGuest(const core::EphemeralContainer& container, FieldErrors& errors) {
  using Field = core::Container::Field;
  constexpr std::pair<Field, std::string_view> kForbidden[] = {
      {Field::kPorts, "ports"},
      {Field::kResources, "resources"},
      {Field::kResizePolicy, "resizePolicy"},
      {Field::kRestartPolicy, "restartPolicy"},
      {Field::kRestartPolicyRules, "restartPolicyRules"},
      {Field::kLivenessProbe, "livenessProbe"},
      {Field::kReadinessProbe, "readinessProbe"},
      {Field::kStartupProbe, "startupProbe"},
      {Field::kLifecycle, "lifecycle"},
  };
  constexpr std::string_view kWhy = "cannot be set for an Ephemeral Container";
  for (const auto& [field, name] : kForbidden) {
    const object::Value* value = container.AsValue()->Member(field);
    if (value == nullptr || (field == Field::kResources && value->size() == 0)) continue;
    errors.Forbidden(name, kWhy);
  }
  const auto mounts = container.volume_mounts();
  for (size_t i = 0; i < mounts.size(); ++i) {
    const auto at = errors.At("volumeMounts", i);
    if (!mounts[i].sub_path().empty()) errors.Forbidden("subPath", kWhy);
    if (!mounts[i].sub_path_expr().empty()) errors.Forbidden("subPathExpr", kWhy);
  }
}

}  // namespace

void ValidateContainers(const PodOfContainer& pod, FieldErrors& errors) {
  const auto containers = pod.spec.containers();
  if (containers.empty()) return errors.Required("containers");
  SeenNames names;
  HostPorts host_ports;
  for (size_t i = 0; i < containers.size(); ++i) {
    const core::Container container = containers[i];
    const auto at = errors.At("containers", i);
    ValidateContainer(container, pod, errors);
    if (!names.Add(container.name())) errors.Duplicate("name", container.name());
    ValidateHooksAndProbes(container, pod.spec, errors);
    ValidateRestartPolicy(container, false, errors);
  }
  for (size_t i = 0; i < containers.size(); ++i) {
    host_ports.Validate(containers[i], "containers", i, errors);
  }
}

void ValidateInitContainers(const PodOfContainer& pod, FieldErrors& errors) {
  const auto containers = pod.spec.init_containers();
  if (containers.empty()) return;
  SeenNames names;
  for (const core::Container container : pod.spec.containers()) names.Add(container.name());
  for (size_t i = 0; i < containers.size(); ++i) {
    const core::Container container = containers[i];
    {
      const auto at = errors.At("initContainers", i);
      ValidateContainer(container, pod, errors);
      ValidateRestartPolicy(container, true, errors);
      if (names.Has(container.name())) {
        errors.Duplicate("name", container.name());
      } else if (!container.name().empty()) {
        names.Add(container.name());
      }
    }
    // They run one by one, so each has the ports for itself. A fault is said to be the first's.
    HostPorts host_ports;
    host_ports.Validate(container, "initContainers", 0, errors);
    const auto at = errors.At("initContainers", i);
    if (IsSidecar(container)) {
      ValidateHooksAndProbes(container, pod.spec, errors);
    } else {
      ForbidHooksAndProbes(container, errors);
      if (!pod.options.allow_restart_on_resize_of_init_containers) {
        ForbidRestartOnResize(container, errors);
      }
    }
  }
}

void ValidateEphemeralContainers(const PodOfContainer& pod, FieldErrors& errors) {
  const auto containers = pod.spec.ephemeral_containers();
  if (containers.empty()) return;
  SeenNames lasting;
  for (const core::Container container : pod.spec.containers()) lasting.Add(container.name());
  for (const core::Container container : pod.spec.init_containers()) lasting.Add(container.name());
  SeenNames names;
  for (size_t i = 0; i < containers.size(); ++i) {
    const core::EphemeralContainer container = containers[i];
    const auto at = errors.At("ephemeralContainers", i);
    ValidateContainer(AsContainer(container), pod, errors);
    ValidateImageText(AsContainer(container), errors);
    if (lasting.Has(container.name()) || !names.Add(container.name())) {
      errors.Duplicate("name", container.name());
    }
    const std::string_view target = container.target_container_name();
    if (!target.empty() && !lasting.Has(target)) errors.NotFound("targetContainerName", target);
    ValidateGuest(container, errors);
  }
}

}  // namespace skiff::apiserver
