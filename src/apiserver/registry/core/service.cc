#include "apiserver/registry/core/service.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/core/service_addresses.h"
#include "apiserver/registry/core/service_warnings.h"
#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "apiserver/validation/seen_names.h"
#include "base/strings.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kHintsAnnotation = "service.kubernetes.io/topology-aware-hints";
constexpr std::string_view kTopologyAnnotation = "service.kubernetes.io/topology-mode";
constexpr std::string_view kRangesAnnotation =
    "service.beta.kubernetes.io/load-balancer-source-ranges";
constexpr std::string_view kNeedsLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
constexpr int32_t kMaxAffinitySeconds = 86400;

// What only services of one type need or may not have. At the spec.
void ValidateType(const core::ServiceSpec& spec, FieldErrors& errors) {
  const std::string_view type = spec.type();
  if (spec.ports().empty() && !IsHeadless(spec) && type != "ExternalName") {
    errors.Required("ports");
  }
  if ((type == "LoadBalancer" || type == "NodePort") && IsHeadless(spec)) {
    errors.Invalid("clusterIPs[0]", spec.cluster_ips()[0],
                   "may not be set to 'None' for " + std::string(type) + " services");
  }
  if (type != "ExternalName") return;
  constexpr std::string_view kWhy = "may not be set for ExternalName services";
  if (!spec.cluster_ips().empty()) errors.Forbidden("clusterIPs", kWhy);
  if (!spec.ip_families().empty()) errors.Forbidden("ipFamilies", kWhy);
  if (spec.ip_family_policy()) errors.Forbidden("ipFamilyPolicy", kWhy);
  std::string_view name = spec.external_name();
  if (name.ends_with('.')) name.remove_suffix(1);
  ValidateRequiredFormat(kDnsSubdomainFormat, name, "externalName", errors);
}

void ValidatePort(const core::ServicePort& port, bool needs_name, SeenNames& names,
                  FieldErrors& errors) {
  if (!port.name().empty()) {
    ValidateFormat(kDnsLabelFormat, port.name(), "name", errors);
    if (!names.Add(port.name())) errors.Duplicate("name", port.name());
  } else if (needs_name) {
    errors.Required("name");
  }
  ValidatePortNumber(port.port(), "port", errors);
  if (port.protocol().empty()) {
    errors.Required("protocol");
  } else {
    ValidateOneOf(port.protocol(), {"SCTP", "TCP", "UDP"}, "protocol", errors);
  }
  const object::IntOrStringValue target = port.target_port();
  if (target.is_string) {
    ValidateFormat(kPortNameFormat, target.text, "targetPort", errors);
  } else {
    ValidatePortNumber(target.number, "targetPort", errors);
  }
  if (port.app_protocol()) {
    ValidateFormat(kQualifiedNameFormat, *port.app_protocol(), "appProtocol", errors);
  }
}

void ValidateAffinity(const core::ServiceSpec& spec, FieldErrors& errors) {
  const std::string_view affinity = spec.session_affinity();
  constexpr std::string_view kWhy = "when session affinity type is ClientIP";
  if (affinity.empty()) {
    errors.Required("sessionAffinity");
  } else {
    ValidateOneOf(affinity, {"ClientIP", "None"}, "sessionAffinity", errors);
  }
  if (affinity == "None" && spec.has_session_affinity_config()) {
    errors.Forbidden("sessionAffinityConfig", "must not be set when session affinity is None");
  }
  if (affinity != "ClientIP") return;
  const core::SessionAffinityConfig config = spec.session_affinity_config();
  if (!spec.has_session_affinity_config()) return errors.Required("sessionAffinityConfig", kWhy);
  if (!config.has_client_ip()) return errors.Required("sessionAffinityConfig.clientIP", kWhy);
  const std::optional<int32_t> timeout = config.client_ip().timeout_seconds();
  constexpr std::string_view kTimeout = "sessionAffinityConfig.clientIP.timeoutSeconds";
  if (!timeout) return errors.Required(kTimeout, kWhy);
  if (*timeout <= 0 || *timeout > kMaxAffinitySeconds) {
    errors.Invalid(kTimeout, *timeout, "must be greater than 0 and less than 86400");
  }
}

// Node ports and numbers of ports are each taken once for a protocol.
void ValidateUniquePorts(const core::ServiceSpec& spec, FieldErrors& errors) {
  const auto ports = spec.ports();
  if (spec.type() == "ClusterIP") {
    for (size_t i = 0; i < ports.size(); ++i) {
      const auto at = errors.At("ports", i);
      if (ports[i].node_port() != 0) {
        errors.Forbidden("nodePort", "may not be used when `type` is 'ClusterIP'");
      }
    }
  }
  std::set<std::pair<std::string_view, int32_t>> node_ports;
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto at = errors.At("ports", i);
    const int32_t port = ports[i].node_port();
    if (port != 0 && !node_ports.emplace(ports[i].protocol(), port).second) {
      errors.Duplicate("nodePort", port);
    }
  }
  std::set<std::pair<std::string_view, int32_t>> numbers;
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto at = errors.At("ports", i);
    if (!numbers.emplace(ports[i].protocol(), ports[i].port()).second) {
      object::Document key = object::Document::OfType(core::ServicePort::Type());
      key.root().Set(key.arena(), "protocol", object::Value::String(ports[i].protocol()));
      key.root().Set(key.arena(), "port", object::Value::Int(ports[i].port()));
      errors.Duplicate("", ShownValue(key.root()));
    }
  }
}

void ValidateAnnotatedRanges(const core::Service& service, const core::Service& old,
                             std::string_view text, FieldErrors& errors) {
  const auto metadata = errors.At("metadata");
  const auto at = errors.AtKey("annotations", kRangesAnnotation);
  if (service.spec().type() != "LoadBalancer") errors.Forbidden("", kNeedsLoadBalancer);
  if (old.AsValue() != nullptr && old.metadata().annotations().Get(kRangesAnnotation) == text) {
    return;
  }
  text = TrimSpace(text);
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    CheckOldCidr(TrimSpace(text.substr(0, end)), "", errors);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void ValidateSourceRanges(const core::Service& service, const core::Service& old,
                          FieldErrors& errors) {
  const auto ranges = service.spec().load_balancer_source_ranges();
  if (ranges.empty()) {
    const auto annotated = service.metadata().annotations().Find(kRangesAnnotation);
    if (annotated) ValidateAnnotatedRanges(service, old, *annotated, errors);
    return;
  }
  const auto spec = errors.At("spec");
  const bool balanced = service.spec().type() == "LoadBalancer";
  if (!balanced) errors.Forbidden("LoadBalancerSourceRanges", kNeedsLoadBalancer);
  SeenNames known;
  for (const std::string_view each : old.spec().load_balancer_source_ranges()) {
    known.Add(TrimSpace(each));
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto at = errors.At("LoadBalancerSourceRanges", i);
    const std::string_view range = TrimSpace(ranges[i]);
    if (!known.Has(range)) CheckOldCidr(range, "", errors);
  }
}

// At the spec.
void ValidateLoadBalancerClass(const core::ServiceSpec& spec, FieldErrors& errors) {
  const std::optional<std::string_view> name = spec.load_balancer_class();
  if (!name) return;
  if (spec.type() == "LoadBalancer") {
    ValidateFormat(kQualifiedNameFormat, *name, "loadBalancerClass", errors);
  } else {
    errors.Forbidden("loadBalancerClass", kNeedsLoadBalancer);
  }
}

bool IsReachableFromOutside(const core::ServiceSpec& spec) {
  return spec.type() == "LoadBalancer" || spec.type() == "NodePort" ||
         (spec.type() == "ClusterIP" && !spec.external_ips().empty());
}

bool NeedsHealthCheck(const core::ServiceSpec& spec) {
  return spec.type() == "LoadBalancer" && spec.external_traffic_policy() == "Local";
}

// At the spec.
void ValidateTraffic(const core::ServiceSpec& spec, FieldErrors& errors) {
  const std::string_view external = spec.external_traffic_policy();
  if (!IsReachableFromOutside(spec)) {
    if (!external.empty()) {
      errors.Invalid("externalTrafficPolicy", external,
                     "may only be set for externally-accessible services");
    }
  } else if (external.empty()) {
    errors.Required("externalTrafficPolicy");
  } else {
    ValidateOneOf(external, {"Cluster", "Local"}, "externalTrafficPolicy", errors);
  }
  const int32_t health = spec.health_check_node_port();
  if (!NeedsHealthCheck(spec)) {
    if (health != 0) {
      errors.Invalid("healthCheckNodePort", health,
                     "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` "
                     "is 'Local'");
    }
  } else if (health == 0) {
    errors.Required("healthCheckNodePort");
  } else {
    ValidatePortNumber(health, "healthCheckNodePort", errors);
  }
  const std::optional<std::string_view> internal = spec.internal_traffic_policy();
  if (internal) {
    ValidateOneOf(*internal, {"Cluster", "Local"}, "internalTrafficPolicy", errors);
  } else if (spec.type() == "NodePort" || spec.type() == "LoadBalancer" ||
             spec.type() == "ClusterIP") {
    errors.Required("internalTrafficPolicy");
  }
  if (spec.traffic_distribution()) {
    ValidateOneOf(*spec.traffic_distribution(), {"PreferClose", "PreferSameZone", "PreferSameNode"},
                  "trafficDistribution", errors);
  }
}

void ValidateExternalIps(const core::ServiceSpec& spec, const core::ServiceSpec& old,
                         FieldErrors& errors) {
  const SeenNames known = SeenNames::Of(old.external_ips());
  for (size_t i = 0; i < spec.external_ips().size(); ++i) {
    const auto at = errors.At("externalIPs", i);
    const std::string_view ip = spec.external_ips()[i];
    if (known.Has(ip) || CheckOldIp(ip, "", errors)) {
      CheckEndpointIp(ip, "", errors);
    }
  }
}

// `old` is a view of nothing when the service is new.
void ValidateService(const core::Service& service, const core::Service& old, FieldErrors& errors) {
  const core::ServiceSpec spec = service.spec();
  const auto annotations = service.metadata().annotations();
  const auto hints = annotations.Find(kHintsAnnotation);
  const auto topology = annotations.Find(kTopologyAnnotation);
  if (hints && topology && *hints != *topology) {
    const auto metadata = errors.At("metadata");
    const auto at = errors.AtKey("annotations", kTopologyAnnotation);
    errors.Invalid(
        "", *topology,
        "must match annotations[" + std::string(kHintsAnnotation) + "] when both are specified");
  }
  {
    const auto at = errors.At("spec");
    ValidateType(spec, errors);
    SeenNames names;
    for (size_t i = 0; i < spec.ports().size(); ++i) {
      const auto port = errors.At("ports", i);
      ValidatePort(spec.ports()[i], spec.ports().size() > 1, names, errors);
    }
    ValidateLabels(spec.selector(), "selector", errors);
    ValidateAffinity(spec, errors);
    ValidateClusterAddresses(spec, old.spec(), errors);
    ValidateExternalIps(spec, old.spec(), errors);
    if (spec.type().empty()) {
      errors.Required("type");
    } else {
      ValidateOneOf(spec.type(), {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, "type",
                    errors);
    }
    ValidateUniquePorts(spec, errors);
  }
  ValidateSourceRanges(service, old, errors);
  const bool balanced = spec.type() == "LoadBalancer";
  if (spec.allocate_load_balancer_node_ports() && !balanced) {
    errors.Forbidden("spec.allocateLoadBalancerNodePorts", kNeedsLoadBalancer);
  } else if (balanced && !spec.allocate_load_balancer_node_ports()) {
    errors.Required("allocateLoadBalancerNodePorts");
  }
  const auto at = errors.At("spec");
  ValidateLoadBalancerClass(spec, errors);
  ValidateTraffic(spec, errors);
}

void ValidateNewService(const object::Document& object, FieldErrors& errors) {
  ValidateService(core::Service(object), core::Service(), errors);
}

void ValidateServiceUpdate(const object::Document& object, const object::Document& old,
                           FieldErrors& errors) {
  const core::Service service(object);
  const core::Service before(old);
  {
    const auto at = errors.At("spec");
    ValidateClusterAddressChange(service.spec(), before.spec(), errors);
    const std::optional<std::string_view> name = service.spec().load_balancer_class();
    if (service.spec().type() == "LoadBalancer" && before.spec().type() == "LoadBalancer" &&
        name != before.spec().load_balancer_class()) {
      errors.Invalid("loadBalancerClass", name ? ShownValue(*name) : ShownNull(),
                     "may not change once set");
    }
    ValidateLoadBalancerClass(service.spec(), errors);
    if (NeedsHealthCheck(service.spec()) && NeedsHealthCheck(before.spec()) &&
        service.spec().health_check_node_port() != before.spec().health_check_node_port()) {
      errors.Forbidden("healthCheckNodePort", kIsImmutable);
    }
  }
  ValidateService(service, before, errors);
}

void ValidateLoadBalancerPoint(const core::LoadBalancerIngress& point, bool known,
                               FieldErrors& errors) {
  const std::string_view ip = point.ip();
  if (!ip.empty() && !known) CheckOldIp(ip, "ip", errors);
  const std::optional<std::string_view> mode = point.ip_mode();
  if (!mode) {
    if (!ip.empty()) errors.Required("ipMode", "must be specified when `ip` is set");
  } else if (ip.empty()) {
    errors.Forbidden("ipMode", "may not be specified when `ip` is not set");
  } else {
    ValidateOneOf(*mode, {"Proxy", "VIP"}, "ipMode", errors);
  }
  if (point.hostname().empty()) return;
  ValidateFormat(kDnsSubdomainFormat, point.hostname(), "hostname", errors);
  if (ReadIp(point.hostname())) {
    errors.Invalid("hostname", point.hostname(), "must be a DNS name, not an IP address");
  }
}

void ValidateServiceStatus(const object::Document& object, const object::Document& old,
                           FieldErrors& errors) {
  const core::Service service(object);
  const auto points = service.status().load_balancer().ingress();
  const auto status = errors.At("status");
  const auto balancer = errors.At("loadBalancer");
  if (service.spec().type() != "LoadBalancer" && !points.empty()) {
    return errors.Forbidden("ingress", "may only be used when `spec.type` is 'LoadBalancer'");
  }
  SeenNames known;
  for (const auto& each : core::Service(old).status().load_balancer().ingress()) {
    known.Add(each.ip());
  }
  for (size_t i = 0; i < points.size(); ++i) {
    const auto at = errors.At("ingress", i);
    ValidateLoadBalancerPoint(points[i], known.Has(points[i].ip()), errors);
  }
}

}  // namespace

constinit const KindRules kServiceRules = {.group = "",
                                           .kind = "Service",
                                           .create = ValidateNewService,
                                           .update = ValidateServiceUpdate,
                                           .status = ValidateServiceStatus,
                                           .warn = WarnAboutService};

}  // namespace skiff::apiserver
