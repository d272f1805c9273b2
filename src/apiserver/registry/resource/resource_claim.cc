#include "apiserver/registry/resource/resource_claim.h"

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/persistent_volume_claim_spec.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/registry/resource/claim_spec.h"
#include "apiserver/registry/resource/devices.h"
#include "apiserver/validation/addresses.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

constexpr size_t kMaxConsumers = 256;
constexpr size_t kMaxResults = 32;
constexpr size_t kMaxConditions = 8;
constexpr size_t kMaxInterfaceNameBytes = 256;
constexpr size_t kMaxHardwareAddressBytes = 128;
constexpr size_t kMaxIps = 16;

template <typename Device>
std::string KeyOf(const Device& device) {
  std::string key = std::string(device.driver()) + "/" + std::string(device.pool()) + "/" +
                    std::string(device.device());
  if (device.share_id()) (key += "/") += *device.share_id();
  return key;
}

void ValidateNetworkData(const resource::NetworkDeviceData& data, FieldErrors& errors) {
  const auto at = errors.At("networkData");
  if (data.interface_name().size() > kMaxInterfaceNameBytes) {
    errors.TooLong("interfaceName", kMaxInterfaceNameBytes);
  }
  if (data.hardware_address().size() > kMaxHardwareAddressBytes) {
    errors.TooLong("hardwareAddress", kMaxHardwareAddressBytes);
  }
  ValidateSet(
      data.ips(), "ips", kMaxIps,
      [&](std::string_view ip, size_t) { CheckInterfaceAddress(ip, "", errors); },
      [](std::string_view ip) { return ip; }, errors);
}

void ValidateDeviceStatus(const resource::AllocatedDeviceStatus& device,
                          const std::set<std::string>& allocated, FieldErrors& errors) {
  ValidateCsiDriverName(device.driver(), "driver", errors);
  ValidatePoolName(device.pool(), "pool", errors);
  ValidateFormat(kDnsLabelFormat, device.device(), "device", errors);
  if (device.share_id()) ValidateUid(*device.share_id(), "shareID", errors);
  const std::string key = KeyOf(device);
  if (!allocated.contains(key)) {
    errors.Invalid("", key, "must be an allocated device in the claim");
  }
  if (device.conditions().size() > kMaxConditions) {
    errors.TooMany("conditions", device.conditions().size(), kMaxConditions);
  }
  ValidateConditions(device.conditions(), "conditions", errors);
  if (!device.data().empty()) {
    ValidateJsonObject(device.data(), kMaxStatusDataBytes, "data", errors);
  }
  if (device.has_network_data()) ValidateNetworkData(device.network_data(), errors);
}

void ValidateResult(const resource::DeviceRequestAllocationResult& result,
                    const RequestNames& names, FieldErrors& errors) {
  {
    const auto at = errors.At("request");
    names.ValidateReference(result.request(), errors);
  }
  ValidateCsiDriverName(result.driver(), "driver", errors);
  ValidatePoolName(result.pool(), "pool", errors);
  ValidateFormat(kDnsLabelFormat, result.device(), "device", errors);
  ValidateBindingConditions(result.binding_conditions(), result.binding_failure_conditions(),
                            errors);
  if (result.share_id()) ValidateUid(*result.share_id(), "shareID", errors);
}

void ValidateConfig(const resource::DeviceAllocationConfiguration& config,
                    const RequestNames& names, FieldErrors& errors) {
  if (config.source().empty()) {
    errors.Required("source");
  } else {
    ValidateOneOf(config.source(), {"FromClaim", "FromClass"}, "source", errors);
  }
  ValidateRequestReferences(config.requests(), names, errors);
  ValidateOpaqueConfig(config.has_opaque(), config.opaque(), false, errors);
}

void ValidateAllocation(const resource::AllocationResult& allocation, const RequestNames& names,
                        FieldErrors& errors) {
  const auto at = errors.At("allocation");
  {
    const auto devices = errors.At("devices");
    ValidateItems(
        allocation.devices().results(), "results", kMaxResults,
        [&](const resource::DeviceRequestAllocationResult& result, size_t) {
          ValidateResult(result, names, errors);
        },
        errors);
    ValidateItems(
        allocation.devices().config(), "config", 2 * kMaxDeviceConfigs,
        [&](const resource::DeviceAllocationConfiguration& config, size_t) {
          ValidateConfig(config, names, errors);
        },
        errors);
  }
  if (allocation.has_node_selector()) {
    const auto selector = errors.At("nodeSelector");
    ValidateNodeSelector(allocation.node_selector(), false, errors);
  }
}

using Consumers = object::ListView<resource::ResourceClaimConsumerReference>;

bool HasNewConsumers(const Consumers& now, const Consumers& old) {
  return std::any_of(now.begin(), now.end(), [&](const auto& consumer) {
    return std::none_of(old.begin(), old.end(), [&](const auto& each) {
      return object::DeepEqual(*each.AsValue(), *consumer.AsValue());
    });
  });
}

void ValidateConsumers(const resource::ResourceClaimStatus& status, FieldErrors& errors) {
  ValidateSet(
      status.reserved_for(), "reservedFor", kMaxConsumers,
      [&](const resource::ResourceClaimConsumerReference& consumer, size_t) {
        ValidateRequired(consumer.resource(), "resource", errors);
        ValidateRequired(consumer.name(), "name", errors);
        ValidateRequired(consumer.uid(), "uid", errors);
      },
      [](const resource::ResourceClaimConsumerReference& consumer) { return consumer.uid(); },
      errors);
}

void ValidateStatus(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const resource::ResourceClaim claim(object);
  const resource::ResourceClaimStatus status = claim.status();
  const resource::ResourceClaimStatus before = resource::ResourceClaim(old).status();
  const auto at = errors.At("status");
  ValidateConsumers(status, errors);
  std::set<std::string> allocated;
  for (const auto& result : status.allocation().devices().results()) {
    allocated.insert(KeyOf(result));
  }
  ValidateSet(
      status.devices(), "devices", std::string_view::npos,
      [&](const resource::AllocatedDeviceStatus& device, size_t) {
        ValidateDeviceStatus(device, allocated, errors);
      },
      [](const resource::AllocatedDeviceStatus& device) { return KeyOf(device); }, errors);
  if (!status.reserved_for().empty()) {
    if (!status.has_allocation()) {
      errors.Forbidden("reservedFor", "may not be specified when `allocated` is not set");
    } else if (claim.metadata().deletion_timestamp() &&
               HasNewConsumers(status.reserved_for(), before.reserved_for())) {
      errors.Forbidden("reservedFor",
                       "new entries may not be added while `deallocationRequested` or "
                       "`deletionTimestamp` are set");
    }
  }
  if (!status.has_allocation()) return;
  if (before.has_allocation()) {
    ValidateImmutable(before.allocation().AsValue(), status.allocation().AsValue(), "allocation",
                      errors);
  } else {
    ValidateAllocation(status.allocation(), RequestNames(claim.spec().devices()), errors);
  }
}

void ValidateClaim(const object::Document& object, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateResourceClaimSpec(resource::ResourceClaim(object).spec(), errors);
}

void ValidateClaimUpdate(const object::Document& object, const object::Document& old,
                         FieldErrors& errors) {
  ValidateImmutable(old.root().Member(resource::ResourceClaim::kSpec),
                    object.root().Member(resource::ResourceClaim::kSpec), "spec", errors);
}

void ValidateTemplate(const object::Document& object, FieldErrors& errors) {
  const resource::ResourceClaimTemplateSpec spec = resource::ResourceClaimTemplate(object).spec();
  const auto at = errors.At("spec");
  {
    const auto metadata = errors.At("metadata");
    ValidateTemplateMetadata(spec.metadata(), errors);
  }
  const auto claim = errors.At("spec");
  ValidateResourceClaimSpec(spec.spec(), errors);
}

void ValidateTemplateUpdate(const object::Document& object, const object::Document& old,
                            FieldErrors& errors) {
  ValidateImmutable(old.root().Member(resource::ResourceClaimTemplate::kSpec),
                    object.root().Member(resource::ResourceClaimTemplate::kSpec), "spec", errors);
}

}  // namespace

constinit const KindRules kResourceClaimRules = {.group = "resource.k8s.io",
                                                 .kind = "ResourceClaim",
                                                 .create = ValidateClaim,
                                                 .update = ValidateClaimUpdate,
                                                 .status = ValidateStatus};
constinit const KindRules kResourceClaimTemplateRules = {.group = "resource.k8s.io",
                                                         .kind = "ResourceClaimTemplate",
                                                         .create = ValidateTemplate,
                                                         .update = ValidateTemplateUpdate};

}  // namespace skiff::apiserver
