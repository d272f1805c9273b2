// Services, endpoints, ingresses, addresses.
#include <array>
#include <set>
#include <string>

#include "apiserver/tables/code_cells.h"
#include "apiserver/tables/list_text.h"
#include "views/core/v1.h"
#include "views/discovery.k8s.io/v1.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

using namespace views;
namespace discovery = discovery_k8s_io_v1;
namespace networking = networking_k8s_io_v1;

// The addresses of a load balancer, sorted, each once. Services and ingresses have a type each.
template <typename Ingress>
std::string LoadBalancerText(const object::ListView<Ingress>& ingresses) {
  std::set<std::string_view> addresses;
  for (const Ingress ingress : ingresses) {
    const std::string_view address = ingress.ip().empty() ? ingress.hostname() : ingress.ip();
    if (!address.empty()) addresses.insert(address);
  }
  ListText text(",");
  for (const std::string_view address : addresses) text.Add(address);
  return text.Take();
}

Cell ServiceExternalIp(const CellContext& context) {
  const core_v1::Service service(&context.object);
  const std::string_view type = service.spec().type();
  ListText text(",");
  if (type == "LoadBalancer") {
    const std::string balancer = LoadBalancerText(service.status().load_balancer().ingress());
    if (!balancer.empty()) text.Add(balancer);
  } else if (type == "ExternalName") {
    return Cell::Text(service.spec().external_name());
  } else if (type != "ClusterIP" && type != "NodePort") {
    return Cell::Text("<unknown>");
  }
  for (const std::string_view ip : service.spec().external_ips()) text.Add(ip);
  if (text.count() == 0) return Cell::Text(type == "LoadBalancer" ? "<pending>" : "<none>");
  return context.Text(text.Take());
}

Cell ServicePorts(const CellContext& context) {
  ListText text(",");
  for (const core_v1::ServicePort port : core_v1::Service(&context.object).spec().ports()) {
    std::string one = std::to_string(port.port());
    if (port.node_port() > 0) one += ":" + std::to_string(port.node_port());
    text.Add(one.append("/").append(port.protocol()));
  }
  return text.count() == 0 ? Cell::Unset() : context.Text(text.Take());
}

// An address of IPv6 is told from its port by brackets.
std::string HostAndPort(std::string_view host, int32_t port) {
  std::string out(host);
  if (host.find(':') != std::string_view::npos) out = "[" + out + "]";
  return out + ":" + std::to_string(port);
}

Cell EndpointsAddresses(const CellContext& context) {
  const core_v1::Endpoints endpoints(&context.object);
  if (endpoints.subsets().empty()) return Cell::Unset();
  ListText text(",", 3);
  for (const core_v1::EndpointSubset subset : endpoints.subsets()) {
    if (subset.ports().empty()) {
      for (const core_v1::EndpointAddress address : subset.addresses()) text.Add(address.ip());
    }
    for (const core_v1::EndpointPort port : subset.ports()) {
      for (const core_v1::EndpointAddress address : subset.addresses()) {
        text.Add(HostAndPort(address.ip(), port.port()));
      }
    }
  }
  return context.Text(text.Take());
}

Cell SlicePorts(const CellContext& context) {
  ListText text(",", 3);
  for (const discovery::EndpointPort port : discovery::EndpointSlice(&context.object).ports()) {
    if (port.port()) {
      text.Add(std::to_string(*port.port()));
    } else {
      text.Add(port.name().value_or("*"));
    }
  }
  return text.shows_nothing() ? Cell::Unset() : context.Text(text.Take());
}

Cell SliceAddresses(const CellContext& context) {
  ListText text(",", 3);
  for (const discovery::Endpoint endpoint : discovery::EndpointSlice(&context.object).endpoints()) {
    for (const std::string_view address : endpoint.addresses()) text.Add(address);
  }
  return text.shows_nothing() ? Cell::Unset() : context.Text(text.Take());
}

// Rules without a host are not shown, but once three hosts are, every further rule counts.
Cell IngressHosts(const CellContext& context) {
  constexpr size_t kShown = 3;
  const auto rules = networking::Ingress(&context.object).spec().rules();
  ListText text(",");
  bool more = false;
  for (const networking::IngressRule rule : rules) {
    more = text.count() == kShown;
    if (more) break;
    if (!rule.host().empty()) text.Add(rule.host());
  }
  if (text.count() == 0) return Cell::Text("*");
  std::string hosts = text.Take();
  if (more) hosts += " + " + std::to_string(rules.size() - kShown) + " more...";
  return context.Text(hosts);
}

Cell IngressAddress(const CellContext& context) {
  const networking::Ingress ingress(&context.object);
  return context.Text(LoadBalancerText(ingress.status().load_balancer().ingress()));
}

Cell IngressPorts(const CellContext& context) {
  return Cell::Text(networking::Ingress(&context.object).spec().tls().empty() ? "80" : "80, 443");
}

Cell IngressClassName(const CellContext& context) {
  const meta_v1::ObjectMeta metadata = networking::IngressClass(&context.object).metadata();
  const bool is_default =
      metadata.annotations().Get("ingressclass.kubernetes.io/is-default-class") == "true";
  return is_default ? context.Concat({metadata.name(), " (default)"}) : Cell::Text(metadata.name());
}

Cell IngressClassParameters(const CellContext& context) {
  const networking::IngressClassSpec spec = networking::IngressClass(&context.object).spec();
  if (!spec.has_parameters()) return Cell::Unset();
  const auto group = spec.parameters().api_group();
  return context.Concat({spec.parameters().kind(), group ? "." : "", group.value_or(""), "/",
                         spec.parameters().name()});
}

Cell IpAddressParent(const CellContext& context) {
  const networking::IPAddressSpec spec = networking::IPAddress(&context.object).spec();
  if (!spec.has_parent_ref()) return Cell::Unset();
  const networking::ParentReference parent = spec.parent_ref();
  const std::string_view group = parent.group();
  const std::string_view name_space = parent.namespace_();
  const std::string resource =
      LowerAscii(std::string(parent.resource()).append(group.empty() ? "" : ".").append(group));
  return context.Concat({resource, name_space.empty() ? "" : "/", name_space, "/", parent.name()});
}

constexpr std::string_view kExternalIp[] = {".spec.type", ".spec.externalIPs", ".spec.externalName",
                                            ".status.loadBalancer.ingress.ip",
                                            ".status.loadBalancer.ingress.hostname"};
constexpr std::string_view kServicePorts[] = {".spec.ports"};
constexpr std::string_view kSubsets[] = {".subsets.addresses.ip", ".subsets.ports.port"};
constexpr std::string_view kSlicePorts[] = {".ports"};
constexpr std::string_view kSliceAddresses[] = {".endpoints.addresses"};
constexpr std::string_view kHosts[] = {".spec.rules.host"};
constexpr std::string_view kIngressAddress[] = {".status.loadBalancer.ingress.ip",
                                                ".status.loadBalancer.ingress.hostname"};
constexpr std::string_view kTls[] = {".spec.tls#"};
constexpr std::string_view kNameAndAnnotations[] = {".metadata.name", ".metadata.annotations"};
constexpr std::string_view kParameters[] = {".spec.parameters"};
constexpr std::string_view kParent[] = {".spec.parentRef"};

constexpr CodeCell kCells[] = {
    {"service-external-ip", ServiceExternalIp, kExternalIp},
    {"service-ports", ServicePorts, kServicePorts},
    {"endpoints-addresses", EndpointsAddresses, kSubsets},
    {"endpointslice-ports", SlicePorts, kSlicePorts},
    {"endpointslice-addresses", SliceAddresses, kSliceAddresses},
    {"ingress-hosts", IngressHosts, kHosts},
    {"ingress-address", IngressAddress, kIngressAddress},
    {"ingress-ports", IngressPorts, kTls},
    {"ingressclass-name", IngressClassName, kNameAndAnnotations},
    {"ingressclass-parameters", IngressClassParameters, kParameters},
    {"ipaddress-parent", IpAddressParent, kParent},
};

}  // namespace

std::span<const CodeCell> NetworkCells() { return kCells; }

}  // namespace skiff::apiserver
