#include "apiserver/registry/resource/slice_device.h"

#include <string>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/resource/device_capacity.h"
#include "apiserver/registry/resource/devices.h"
#include "apiserver/validation/members.h"
#include "apiserver/validation/semantic_version.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

constexpr size_t kMaxAttributesAndCapacities = 32;
constexpr size_t kMaxAttributeValues = 48;
constexpr size_t kMaxValueBytes = 64;
constexpr size_t kMaxTaints = 16;
constexpr size_t kMaxCounterSets = 2;
constexpr size_t kMaxCounters = 32;
constexpr std::string_view kOneValue = "exactly one value must be specified";

void ValidateText(std::string_view text, bool is_version, std::string_view field,
                  FieldErrors& errors) {
  if (is_version && !SemanticVersion::Parse(text)) {
    errors.Invalid(field, text, "must be a string compatible with semver.org spec 2.0.0");
  }
  if (text.size() > kMaxValueBytes) errors.TooLong(field, kMaxValueBytes);
}

void ValidateAttribute(const object::Value& attribute, FieldErrors& errors) {
  int count = 0;
  for (const std::string_view field : {"bool", "int", "string", "version"}) {
    const object::Value* value = attribute.Find(field);
    if (value == nullptr) continue;
    ++count;
    if (value->is_string()) ValidateText(value->AsText(), field == "version", field, errors);
  }
  for (const std::string_view field : {"bools", "ints", "strings", "versions"}) {
    const object::Value* values = attribute.Find(field);
    if (values == nullptr) continue;
    ++count;
    if (values->size() == 0) {
      errors.Invalid(field, ShownValue(values), "must not be empty if specified");
    }
    for (size_t i = 0; i < values->size(); ++i) {
      if (!values->items()[i].is_string()) break;
      const auto at = errors.At(field, i);
      ValidateText(values->items()[i].AsText(), field == "versions", "", errors);
    }
  }
  if (count == 0) return errors.Invalid("", "", kOneValue);
  if (count > 1) errors.Invalid("", ShownValue(attribute), kOneValue);
}

size_t ValuesOf(const object::MapView<resource::DeviceAttribute>& attributes) {
  size_t total = 0;
  for (const auto& [name, attribute] : attributes) {
    size_t listed = 0;
    for (const std::string_view field : {"bools", "ints", "strings", "versions"}) {
      const object::Value* values = MemberOf(attribute, field);
      if (values != nullptr) listed += values->size();
    }
    total += listed == 0 ? 1 : listed;
  }
  return total;
}

void ValidateAttributes(const resource::Device& device, FieldErrors& errors) {
  const size_t entries = device.attributes().size() + device.capacity().size();
  if (entries > kMaxAttributesAndCapacities) {
    errors.Invalid("", static_cast<int64_t>(entries),
                   "the total number of attributes and capacities must not exceed 32");
  }
  const size_t values = ValuesOf(device.attributes());
  if (values > kMaxAttributeValues) {
    errors.Invalid("", static_cast<int64_t>(values),
                   "the total number of attribute values must not exceed 48");
  }
  for (const auto& [name, attribute] : device.attributes()) {
    ValidateDeviceQualifiedName(name, "attributes", errors);
    const auto at = errors.AtKey("attributes", name);
    if (attribute.AsValue() != nullptr) {
      ValidateAttribute(*attribute.AsValue(), errors);
    } else {
      errors.Invalid("", "", kOneValue);
    }
  }
  const bool shared = device.allow_multiple_allocations().value_or(false);
  for (const auto& [name, capacity] : device.capacity()) {
    ValidateDeviceQualifiedName(name, "capacity", errors);
    const auto at = errors.AtKey("capacity", name);
    ValidateDeviceCapacity(capacity, shared, errors);
  }
}

void ValidateNodes(const resource::Device& device, FieldErrors& errors) {
  SetFields set;
  if (device.node_name()) {
    if (device.node_name()->empty()) {
      errors.Invalid("nodeName", "", "must not be empty");
    } else {
      set.Add("nodeName");
      ValidateFormat(kDnsSubdomainFormat, *device.node_name(), "nodeName", errors);
    }
  }
  if (device.has_node_selector()) {
    set.Add("nodeSelector");
    const auto at = errors.At("nodeSelector");
    ValidateNodeSelector(device.node_selector(), false, errors);
  }
  if (device.all_nodes()) {
    if (*device.all_nodes()) {
      set.Add("allNodes");
    } else {
      errors.Invalid("allNodes", false, "must be either unset or set to true");
    }
  }
  constexpr std::string_view kOne =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (set.count == 0) errors.Required("", kOne);
  if (set.count > 1) errors.Invalid("", set.Shown(), kOne);
}

void ValidateMappings(const resource::Device& device, FieldErrors& errors) {
  for (const auto& [name, mapping] : device.node_allocatable_resource_mappings()) {
    const auto at = errors.AtKey("nodeAllocatableResourceMappings", name);
    if (!IsNativeResource(name)) {
      errors.Invalid("", name, "must be a node allocatable resource name");
    }
    const auto multiplier = mapping.allocation_multiplier();
    const auto key = mapping.capacity_key();
    if (!multiplier && !key) {
      errors.Invalid("", "", "at least one of allocationMultiplier or capacityKey must be set");
    }
    if (multiplier && ParsedQuantity(*multiplier).Sign() <= 0) {
      errors.Invalid("allocationMultiplier", *multiplier, "must be positive");
    }
    if (!key) continue;
    if (key->empty()) {
      errors.Invalid("capacityKey", "", "capacityKey must not be an empty string");
    } else if (!device.capacity().Contains(*key)) {
      errors.NotFound("capacityKey", *key);
    }
  }
}

}  // namespace

void ValidateCounters(const object::MapView<resource::Counter>& counters, FieldErrors& errors) {
  if (counters.empty()) return errors.Required("counters");
  if (counters.size() > kMaxCounters) {
    return errors.TooMany("counters", counters.size(), kMaxCounters);
  }
  for (const auto& [name, counter] : counters) {
    ValidateFormat(kDnsLabelFormat, name, "counters", errors);
  }
}

void ValidateSliceDevice(const resource::Device& device, const resource::Device& old,
                         bool selects_nodes, FieldErrors& errors) {
  ValidateFormat(kDnsLabelFormat, device.name(), "name", errors);
  ValidateAttributes(device, errors);
  const object::Value* old_taints = MemberOf(old, resource::Device::kTaints);
  if (old.AsValue() == nullptr ||
      !SameValue(old_taints, MemberOf(device, resource::Device::kTaints))) {
    ValidateItems(
        device.taints(), "taints", kMaxTaints,
        [&](const resource::DeviceTaint& taint, size_t) {
          ValidateDeviceTaint(taint, true, errors);
        },
        errors);
  }
  ValidateSet(
      device.consumes_counters(), "consumesCounters", kMaxCounterSets,
      [&](const resource::DeviceCounterConsumption& used, size_t) {
        ValidateRequiredFormat(kDnsLabelFormat, used.counter_set(), "counterSet", errors);
        ValidateCounters(used.counters(), errors);
      },
      [](const resource::DeviceCounterConsumption& used) { return used.counter_set(); }, errors);
  if (selects_nodes) {
    ValidateNodes(device, errors);
  } else if (device.node_name() || device.has_node_selector() || device.all_nodes()) {
    errors.Invalid("", ShownNull(),
                   "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                   "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
  }
  ValidateBindingConditions(device.binding_conditions(), device.binding_failure_conditions(),
                            errors);
  ValidateMappings(device, errors);
}

}  // namespace skiff::apiserver
