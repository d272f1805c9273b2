#include "apiserver/registry/core/endpoints.h"

#include <string>

#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

void ValidateAddress(const core::EndpointAddress& address, FieldErrors& errors) {
  CheckOldIp(address.ip(), "ip", errors);
  if (!address.hostname().empty()) {
    ValidateFormat(kDnsLabelFormat, address.hostname(), "hostname", errors);
  }
  if (address.node_name()) {
    ValidateFormat(kDnsSubdomainFormat, *address.node_name(), "nodeName", errors);
  }
  CheckEndpointIp(address.ip(), "ip", errors);
}

void ValidateAddresses(const object::ListView<core::EndpointAddress>& addresses,
                       std::string_view field, FieldErrors& errors) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto at = errors.At(field, i);
    ValidateAddress(addresses[i], errors);
  }
}

void ValidatePort(const core::EndpointPort& port, bool needs_name, FieldErrors& errors) {
  if (!port.name().empty()) {
    ValidateFormat(kDnsLabelFormat, port.name(), "name", errors);
  } else if (needs_name) {
    errors.Required("name");
  }
  ValidatePortNumber(port.port(), "port", errors);
  if (port.protocol().empty()) {
    errors.Required("protocol");
  } else {
    ValidateOneOf(port.protocol(), {"SCTP", "TCP", "UDP"}, "protocol", errors);
  }
  if (port.app_protocol()) {
    ValidateFormat(kQualifiedNameFormat, *port.app_protocol(), "appProtocol", errors);
  }
}

void ValidateEndpoints(const object::Document& object, FieldErrors& errors) {
  const auto subsets = core::Endpoints(object).subsets();
  for (size_t i = 0; i < subsets.size(); ++i) {
    const auto at = errors.At("subsets", i);
    if (subsets[i].addresses().empty() && subsets[i].not_ready_addresses().empty()) {
      errors.Required("", "must specify `addresses` or `notReadyAddresses`");
    }
    ValidateAddresses(subsets[i].addresses(), "addresses", errors);
    ValidateAddresses(subsets[i].not_ready_addresses(), "notReadyAddresses", errors);
    const auto ports = subsets[i].ports();
    for (size_t j = 0; j < ports.size(); ++j) {
      const auto port = errors.At("ports", j);
      ValidatePort(ports[j], ports.size() > 1, errors);
    }
  }
}

void ValidateEndpointsUpdate(const object::Document& object, const object::Document& old,
                             FieldErrors& errors) {
  constexpr uint16_t kSubsets = core::Endpoints::kSubsets;
  if (SameValue(old.root().Member(kSubsets), object.root().Member(kSubsets))) return;
  ValidateEndpoints(object, errors);
}

void WarnAboutAddresses(const std::string& path,
                        const object::ListView<core::EndpointAddress>& addresses,
                        std::vector<std::string>& warnings) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    WarnAboutIp(path + "[" + std::to_string(i) + "].ip", addresses[i].ip(), warnings);
  }
}

void WarnAboutEndpoints(const object::Document& object, const object::Document*,
                        const KindSettings&, std::vector<std::string>& warnings) {
  const core::Endpoints endpoints(object);
  if (endpoints.metadata().labels().Get("endpoints.kubernetes.io/managed-by") ==
      "endpoint-controller") {
    return;  // It copies what others were told about.
  }
  const auto subsets = endpoints.subsets();
  for (size_t i = 0; i < subsets.size(); ++i) {
    const std::string path = "subsets[" + std::to_string(i) + "].";
    WarnAboutAddresses(path + "addresses", subsets[i].addresses(), warnings);
    WarnAboutAddresses(path + "notReadyAddresses", subsets[i].not_ready_addresses(), warnings);
  }
}

}  // namespace

constinit const KindRules kEndpointsRules = {.group = "",
                                             .kind = "Endpoints",
                                             .create = ValidateEndpoints,
                                             .update = ValidateEndpointsUpdate,
                                             .warn = WarnAboutEndpoints};

}  // namespace skiff::apiserver
