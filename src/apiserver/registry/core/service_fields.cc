#include "apiserver/registry/core/service_fields.h"

#include <algorithm>
#include <map>
#include <set>

#include "apiserver/rest/errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::optional<std::string> Copied(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

}  // namespace

ServiceFields ServiceFields::Read(const object::Document& service) {
  const core::ServiceSpec spec = core::Service(service).spec();
  ServiceFields out;
  out.type = spec.type().empty() ? "ClusterIP" : spec.type();
  out.cluster_ip = spec.cluster_ip();
  for (const std::string_view each : spec.cluster_ips()) out.cluster_ips.emplace_back(each);
  for (const std::string_view each : spec.ip_families()) out.families.emplace_back(each);
  out.policy = Copied(spec.ip_family_policy());
  out.has_selector = !spec.selector().empty();
  out.has_external_ips = !spec.external_ips().empty();
  for (const core::ServicePort port : spec.ports()) {
    out.ports.push_back(
        {std::string(port.name()), std::string(port.protocol()), port.port(), port.node_port()});
  }
  out.health_check_port = spec.health_check_node_port();
  out.external_traffic_policy = spec.external_traffic_policy();
  out.allocate_load_balancer_ports = spec.allocate_load_balancer_node_ports();
  out.load_balancer_class = Copied(spec.load_balancer_class());
  return out;
}

void ServiceFields::Write(const ServiceFields& read, object::Document& service) const {
  core::MutableServiceSpec spec = core::MutableService(service).mutable_spec();
  if (cluster_ip != read.cluster_ip) {
    spec.clear_cluster_ip();
    if (!cluster_ip.empty()) spec.set_cluster_ip(cluster_ip);
  }
  if (cluster_ips != read.cluster_ips) {
    spec.clear_cluster_ips();
    for (const std::string& each : cluster_ips) spec.add_cluster_ips(each);
  }
  if (families != read.families) {
    spec.clear_ip_families();
    for (const std::string& each : families) spec.add_ip_families(each);
  }
  if (policy != read.policy) {
    spec.clear_ip_family_policy();
    if (policy) spec.set_ip_family_policy(*policy);
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].node_port == read.ports[i].node_port) continue;
    core::MutableServicePort port = spec.mutable_ports(i);
    port.clear_node_port();
    if (ports[i].node_port != 0) port.set_node_port(ports[i].node_port);
  }
  if (health_check_port != read.health_check_port) {
    spec.clear_health_check_node_port();
    if (health_check_port != 0) spec.set_health_check_node_port(health_check_port);
  }
  if (external_traffic_policy.empty()) spec.clear_external_traffic_policy();
  if (!allocate_load_balancer_ports) spec.clear_allocate_load_balancer_node_ports();
  if (!load_balancer_class) spec.clear_load_balancer_class();
  if (external_name()) spec.clear_internal_traffic_policy();
}

std::vector<int32_t> ServiceFields::NodePorts() const {
  std::vector<int32_t> out;
  for (const Port& port : ports) {
    if (port.node_port != 0) out.push_back(port.node_port);
  }
  return out;
}

std::string TextsJson(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + object::JsonText(text);
  return "[" + out + "]";
}

std::string_view FamilyOf(std::string_view address) {
  return address.find(':') == std::string_view::npos ? kIpv4Family : kIpv6Family;
}

void FillOldFields(ServiceFields& service, const ServiceFamilies& families) {
  JoinClusterIps(service, nullptr);
  if (service.external_name() || !service.families.empty()) return;
  if (service.cluster_ip == kHeadless) {
    service.policy = service.has_selector ? "SingleStack" : "RequireDualStack";
    service.families = {families.front()};
    if (!service.has_selector) {
      service.families.emplace_back(families.front() == kIpv4Family ? kIpv6Family : kIpv4Family);
    }
    return;
  }
  for (const std::string& address : service.cluster_ips) {
    service.families.emplace_back(FamilyOf(address));
  }
  if (service.families.size() == 1) service.policy = "SingleStack";
  if (service.families.size() == 2) service.policy = "RequireDualStack";
}

void KeepAllocated(ServiceFields& service, const ServiceFields& old) {
  if (!old.external_name() && !service.external_name()) {
    if (service.cluster_ip.empty()) service.cluster_ip = old.cluster_ip;
    if (service.cluster_ips.empty()) service.cluster_ips = old.cluster_ips;
  }
  if (old.wants_node_ports() && service.wants_node_ports()) {
    // By the name of the port; one that another port has taken meanwhile stays there.
    std::map<std::string_view, int32_t> before;
    for (const ServiceFields::Port& each : old.ports) before[each.name] = each.node_port;
    const std::vector<int32_t> ports = service.NodePorts();
    const std::set<int32_t> given(ports.begin(), ports.end());
    for (ServiceFields::Port& port : service.ports) {
      const auto known = before.find(port.name);
      if (port.node_port != 0 || known == before.end()) continue;
      if (!given.contains(known->second)) port.node_port = known->second;
    }
  }
  if (old.wants_health_check_port() && service.wants_health_check_port() &&
      service.health_check_port == 0) {
    service.health_check_port = old.health_check_port;
  }
}

void JoinClusterIps(ServiceFields& service, const ServiceFields* old) {
  if (old == nullptr) {
    if (!service.cluster_ip.empty() && service.cluster_ips.empty()) {
      service.cluster_ips = {service.cluster_ip};
    }
    return;
  }
  const bool same_list = service.cluster_ips == old->cluster_ips;
  if (service.cluster_ip == old->cluster_ip) {
    if (service.cluster_ips.empty()) service.cluster_ips = old->cluster_ips;
    return;
  }
  // Only the one that old clients know has changed, so the other follows.
  if (!same_list) return;
  service.cluster_ips.clear();
  if (!service.cluster_ip.empty()) service.cluster_ips = {service.cluster_ip};
}

bool KeepsDualStack(const ServiceFields& service, const ServiceFields& old) {
  if (!service.policy || service.type != old.type || service.external_name()) return false;
  if (*service.policy != "PreferDualStack") return false;
  if (old.policy && *old.policy != "PreferDualStack") return false;
  return service.cluster_ips == old.cluster_ips && service.families == old.families;
}

void DropFieldsOfOldType(ServiceFields& service, const ServiceFields& old) {
  if (!old.external_name() && service.external_name()) {
    const bool same_ips =
        service.cluster_ip == old.cluster_ip && service.cluster_ips == old.cluster_ips;
    if (same_ips) {
      service.cluster_ip.clear();
      service.cluster_ips.clear();
    }
    if (service.families == old.families) service.families.clear();
    if (service.policy == old.policy) service.policy.reset();
  }
  if (old.node_ports() && !service.node_ports()) {
    const std::vector<int32_t> ports = old.NodePorts();
    const std::set<int32_t> before(ports.begin(), ports.end());
    const bool none_new = std::ranges::all_of(service.NodePorts(),
                                              [&](int32_t port) { return before.contains(port); });
    if (none_new) {
      for (ServiceFields::Port& port : service.ports) port.node_port = 0;
    }
  }
  if (old.wants_health_check_port() && !service.wants_health_check_port() &&
      service.health_check_port == old.health_check_port) {
    service.health_check_port = 0;
  }
  if (old.type == "LoadBalancer" && service.type != "LoadBalancer") {
    if (service.allocate_load_balancer_ports == old.allocate_load_balancer_ports) {
      service.allocate_load_balancer_ports.reset();
    }
    if (service.load_balancer_class == old.load_balancer_class) service.load_balancer_class.reset();
  }
  if (old.reachable_from_outside() && !service.reachable_from_outside() &&
      service.external_traffic_policy == old.external_traffic_policy) {
    service.external_traffic_policy.clear();
  }
}

}  // namespace skiff::apiserver
