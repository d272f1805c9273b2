#include "apiserver/registry/resource/claim_spec.h"

#include <algorithm>

#include "apiserver/registry/resource/devices.h"
#include "apiserver/validation/members.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

constexpr size_t kMaxConstraints = 32;
constexpr size_t kMaxAlternatives = 8;

// What exact requests and alternatives both have.
template <typename Request>
void ValidateDevices(const Request& request, FieldErrors& errors) {
  ValidateRequiredFormat(kDnsSubdomainFormat, request.device_class_name(), "deviceClassName",
                         errors);
  ValidateItems(
      request.selectors(), "selectors", kMaxDeviceSelectors,
      [&](const resource::DeviceSelector& selector, size_t) {
        ValidateDeviceSelector(selector, errors);
      },
      errors);
  if (request.allocation_mode() == "All") {
    if (request.count() != 0) {
      errors.Invalid("count", request.count(),
                     "must not be specified when allocationMode is 'All'");
    }
  } else if (request.allocation_mode() == "ExactCount") {
    if (request.count() <= 0) errors.Invalid("count", request.count(), "must be greater than zero");
  } else {
    errors.NotSupported("allocationMode", request.allocation_mode(), {"All", "ExactCount"});
  }
  for (size_t i = 0; i < request.tolerations().size(); ++i) {
    const auto at = errors.At("tolerations", i);
    ValidateDeviceToleration(request.tolerations()[i], errors);
  }
}

void ValidateRequest(const resource::DeviceRequest& request, FieldErrors& errors) {
  ValidateFormat(kDnsLabelFormat, request.name(), "name", errors);
  const bool has_alternatives = !request.first_available().empty();
  if (!has_alternatives && !request.has_exactly()) {
    return errors.Required("", "exactly one of `exactly` or `firstAvailable` is required");
  }
  if (has_alternatives && request.has_exactly()) {
    return errors.Invalid("", ShownNull(),
                          "exactly one of `exactly` or `firstAvailable` is required, but multiple "
                          "fields are set");
  }
  if (!has_alternatives) {
    const auto at = errors.At("exactly");
    return ValidateDevices(request.exactly(), errors);
  }
  ValidateSet(
      request.first_available(), "firstAvailable", kMaxAlternatives,
      [&](const resource::DeviceSubRequest& alternative, size_t) {
        ValidateFormat(kDnsLabelFormat, alternative.name(), "name", errors);
        ValidateDevices(alternative, errors);
      },
      [](const resource::DeviceSubRequest& alternative) { return alternative.name(); }, errors);
}

void ValidateConstraint(const resource::DeviceConstraint& constraint, const RequestNames& names,
                        FieldErrors& errors) {
  ValidateRequestReferences(constraint.requests(), names, errors);
  if (constraint.match_attribute()) {
    ValidateDeviceFullName(*constraint.match_attribute(), "matchAttribute", errors);
  } else if (constraint.distinct_attribute()) {
    ValidateDeviceFullName(*constraint.distinct_attribute(), "distinctAttribute", errors);
  } else if (!errors.IsOn("DRAConsumableCapacity")) {
    errors.Required("matchAttribute");
  } else {
    errors.Required("",
                    "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but "
                    "multiple fields are set");
  }
}

}  // namespace

RequestNames::RequestNames(const resource::DeviceClaim& claim) {
  for (const resource::DeviceRequest request : claim.requests()) {
    std::set<std::string_view>& alternatives = names_[request.name()];
    alternatives.clear();
    for (const auto& each : request.first_available()) alternatives.insert(each.name());
  }
}

bool RequestNames::Has(std::string_view name) const {
  const size_t slash = name.find('/');
  const auto found = names_.find(name.substr(0, slash));
  if (found == names_.end()) return false;
  return slash == std::string_view::npos || found->second.contains(name.substr(slash + 1));
}

void RequestNames::ValidateReference(std::string_view name, FieldErrors& errors) const {
  constexpr std::string_view kWhy =
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated by '/'";
  const size_t slash = name.find('/');
  if (std::ranges::count(name, '/') > 1) return errors.Invalid("", name, kWhy);
  ValidateFormat(kDnsLabelFormat, name.substr(0, slash), "", errors);
  if (slash != std::string_view::npos) {
    ValidateFormat(kDnsLabelFormat, name.substr(slash + 1), "", errors);
  }
  if (!Has(name)) errors.Invalid("", name, kWhy);
}

void ValidateRequestReferences(const object::ListView<std::string_view>& references,
                               const RequestNames& names, FieldErrors& errors) {
  ValidateSet(
      references, "requests", kMaxDeviceRequests,
      [&](std::string_view name, size_t) { names.ValidateReference(name, errors); },
      [](std::string_view name) { return name; }, errors);
}

void ValidateResourceClaimSpec(const resource::ResourceClaimSpec& spec, FieldErrors& errors) {
  const resource::DeviceClaim claim = spec.devices();
  const RequestNames names(claim);
  const auto at = errors.At("devices");
  ValidateSet(
      claim.requests(), "requests", kMaxDeviceRequests,
      [&](const resource::DeviceRequest& request, size_t) { ValidateRequest(request, errors); },
      [](const resource::DeviceRequest& request) { return request.name(); }, errors);
  ValidateItems(
      claim.constraints(), "constraints", kMaxConstraints,
      [&](const resource::DeviceConstraint& constraint, size_t) {
        ValidateConstraint(constraint, names, errors);
      },
      errors);
  ValidateItems(
      claim.config(), "config", kMaxDeviceConfigs,
      [&](const resource::DeviceClaimConfiguration& config, size_t) {
        ValidateRequestReferences(config.requests(), names, errors);
        ValidateOpaqueConfig(config.has_opaque(), config.opaque(), false, errors);
      },
      errors);
}

}  // namespace skiff::apiserver
