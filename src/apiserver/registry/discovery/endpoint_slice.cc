#include "apiserver/registry/discovery/endpoint_slice.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "apiserver/validation/seen_names.h"
#include "views/discovery.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace discovery = views::discovery_k8s_io_v1;

constexpr size_t kMaxEndpoints = 1000;
constexpr size_t kMaxAddresses = 100;
constexpr size_t kMaxPorts = 20000;
constexpr size_t kMaxTopologyLabels = 16;
constexpr size_t kMaxHints = 8;

std::string Joined(const object::NameProblems& problems) {
  std::string out;
  for (const std::string& problem : problems) (out += out.empty() ? "" : ",") += problem;
  return out;
}

void ValidateDomainName(std::string_view name, FieldErrors& errors) {
  if (name.empty()) return errors.Required("");
  if (name.ends_with('.')) name.remove_suffix(1);
  if (!object::IsDns1123Subdomain(name)) {
    return errors.Invalid("", name, Joined(object::CheckDns1123Subdomain(name)));
  }
  if (name.find('.') == std::string_view::npos) {
    return errors.Invalid("", name,
                          "should be a domain with at least two segments separated by dots");
  }
  while (!name.empty()) {
    const size_t end = std::min(name.find('.'), name.size());
    const std::string_view label = name.substr(0, end);
    if (!object::IsDns1123Label(label)) {
      return errors.Invalid("", label, Joined(object::CheckDns1123Label(label)));
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
}

// Of one family; a fault of the family is at the list, as Kubernetes has it.
void ValidateAddress(std::string_view address, std::string_view type, size_t i,
                     FieldErrors& errors) {
  const bool v4 = type == "IPv4";
  {
    const auto at = errors.At("addresses", i);
    if (type == "FQDN") return ValidateDomainName(address, errors);
    if (!v4 && type != "IPv6") return;
    const size_t before = errors.size();
    if (v4) {
      CheckOldIp(address, "", errors);
    } else {
      CheckIp(address, "", errors);
    }
    if (errors.size() != before) return;
  }
  const std::optional<IpAddress> parsed = ReadIp(address);
  if (parsed && parsed->is_v4() != v4) {
    errors.Invalid("addresses", address,
                   v4 ? "must be an IPv4 address" : "must be an IPv6 address");
  }
  const auto at = errors.At("addresses", i);
  CheckEndpointIp(address, "", errors);
}

// Each name once.
template <typename List>
void ValidateHintNames(const List& hints, std::string_view field, const NameFormat& format,
                       FieldErrors& errors) {
  SeenNames seen;
  for (size_t i = 0; i < hints.size(); ++i) {
    const auto at = errors.At(field, i);
    const std::string_view name = hints[i].name();
    if (!seen.Add(name)) errors.Duplicate("name", name);
    ValidateFormat(format, name, "name", errors);
  }
}

void ValidateHints(const discovery::EndpointHints& hints, FieldErrors& errors) {
  const auto at = errors.At("hints");
  if (hints.for_zones().size() > kMaxHints) {
    return errors.TooMany("forZones", hints.for_zones().size(), kMaxHints);
  }
  ValidateHintNames(hints.for_zones(), "forZones", kLabelValueFormat, errors);
  if (hints.for_nodes().size() > kMaxHints) {
    return errors.TooMany("forNodes", hints.for_nodes().size(), kMaxHints);
  }
  ValidateHintNames(hints.for_nodes(), "forNodes", kDnsSubdomainFormat, errors);
}

void ValidateEndpoint(const discovery::Endpoint& endpoint, std::string_view type,
                      FieldErrors& errors) {
  const auto addresses = endpoint.addresses();
  if (addresses.empty()) {
    errors.Required("addresses", "must contain at least 1 address");
  } else if (addresses.size() > kMaxAddresses) {
    errors.TooMany("addresses", addresses.size(), kMaxAddresses);
  }
  for (size_t i = 0; i < addresses.size(); ++i) ValidateAddress(addresses[i], type, i, errors);
  if (endpoint.node_name()) {
    ValidateFormat(kDnsSubdomainFormat, *endpoint.node_name(), "nodeName", errors);
  }
  const auto topology = endpoint.deprecated_topology();
  if (topology.size() > kMaxTopologyLabels) {
    errors.TooMany("deprecatedTopology", topology.size(), kMaxTopologyLabels);
  }
  ValidateLabels(topology, "deprecatedTopology", errors);
  if (endpoint.hostname()) {
    ValidateFormat(kDnsLabelFormat, *endpoint.hostname(), "hostname", errors);
  }
  if (endpoint.has_hints()) ValidateHints(endpoint.hints(), errors);
}

void ValidateEndpoints(const discovery::EndpointSlice& slice, FieldErrors& errors) {
  const auto endpoints = slice.endpoints();
  if (endpoints.size() > kMaxEndpoints) {
    return errors.TooMany("endpoints", endpoints.size(), kMaxEndpoints);
  }
  for (size_t i = 0; i < endpoints.size(); ++i) {
    const auto at = errors.At("endpoints", i);
    ValidateEndpoint(endpoints[i], slice.address_type(), errors);
  }
}

void ValidatePorts(const object::ListView<discovery::EndpointPort>& ports, FieldErrors& errors) {
  if (ports.size() > kMaxPorts) return errors.TooMany("ports", ports.size(), kMaxPorts);
  SeenNames names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto at = errors.At("ports", i);
    const std::string_view name = ports[i].name().value_or("");
    if (!name.empty()) ValidateFormat(kDnsLabelFormat, name, "name", errors);
    if (!names.Add(name)) errors.Duplicate("name", name);
    if (!ports[i].protocol()) {
      errors.Required("protocol");
    } else {
      ValidateOneOf(*ports[i].protocol(), {"SCTP", "TCP", "UDP"}, "protocol", errors);
    }
    if (ports[i].app_protocol()) {
      ValidateFormat(kQualifiedNameFormat, *ports[i].app_protocol(), "appProtocol", errors);
    }
  }
}

void ValidateSlice(const discovery::EndpointSlice& slice, const object::Value* old_endpoints,
                   FieldErrors& errors) {
  if (slice.address_type().empty()) {
    errors.Required("addressType");
  } else {
    ValidateOneOf(slice.address_type(), {"FQDN", "IPv4", "IPv6"}, "addressType", errors);
  }
  ValidatePorts(slice.ports(), errors);
  const object::Value* endpoints = MemberOf(slice, discovery::EndpointSlice::kEndpoints);
  const bool unchanged = old_endpoints != nullptr && SameValue(old_endpoints, endpoints);
  if (!unchanged) ValidateEndpoints(slice, errors);
}

void ValidateEndpointSlice(const object::Document& object, FieldErrors& errors) {
  ValidateSlice(discovery::EndpointSlice(object), nullptr, errors);
}

void ValidateEndpointSliceUpdate(const object::Document& object, const object::Document& old,
                                 FieldErrors& errors) {
  const discovery::EndpointSlice slice(object);
  const discovery::EndpointSlice before(old);
  ValidateSlice(slice, MemberOf(before, discovery::EndpointSlice::kEndpoints), errors);
  ValidateImmutable(before.address_type(), slice.address_type(), "addressType", errors);
}

void WarnAboutEndpointSlice(const object::Document& object, const object::Document* old,
                            const KindSettings&, std::vector<std::string>& warnings) {
  const discovery::EndpointSlice slice(object);
  if (old == nullptr && slice.address_type() == "FQDN") {
    warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
  }
  const std::string_view manager =
      slice.metadata().labels().Get("endpointslice.kubernetes.io/managed-by");
  if (manager == "endpointslice-controller.k8s.io" ||
      manager == "endpointslicemirroring-controller.k8s.io") {
    return;  // It copies what others were told about.
  }
  size_t i = 0;
  for (const discovery::Endpoint& endpoint : slice.endpoints()) {
    const std::string path = "endpoints[" + std::to_string(i++) + "].addresses[";
    size_t j = 0;
    for (const std::string_view address : endpoint.addresses()) {
      WarnAboutIp(path + std::to_string(j++) + "]", address, warnings);
    }
  }
}

}  // namespace

constinit const KindRules kEndpointSliceRules = {.group = "discovery.k8s.io",
                                                 .kind = "EndpointSlice",
                                                 .create = ValidateEndpointSlice,
                                                 .update = ValidateEndpointSliceUpdate,
                                                 .warn = WarnAboutEndpointSlice};

}  // namespace skiff::apiserver
