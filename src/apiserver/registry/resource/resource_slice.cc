#include "apiserver/registry/resource/resource_slice.h"

#include <string>
#include <vector>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/registry/resource/devices.h"
#include "apiserver/registry/resource/slice_device.h"
#include "apiserver/validation/members.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

constexpr size_t kMaxDevices = 128;
constexpr size_t kMaxAdvancedDevices = 64;
constexpr size_t kMaxCounterSets = 8;

void ValidatePool(const resource::ResourcePool& pool, FieldErrors& errors) {
  const auto at = errors.At("pool");
  ValidatePoolName(pool.name(), "name", errors);
  if (pool.resource_slice_count() <= 0) {
    errors.Invalid("resourceSliceCount", pool.resource_slice_count(), "must be greater than zero");
  }
  if (pool.generation() < 0) {
    errors.Invalid("generation", pool.generation(), "must be greater than or equal to zero");
  }
}

// A flag that is either true or not there. True if it is true.
bool ValidateFlag(std::optional<bool> flag, std::string_view field, FieldErrors& errors) {
  if (!flag) return false;
  if (!*flag) errors.Invalid(field, false, "must be either unset or set to true");
  return *flag;
}

void ValidateNodes(const resource::ResourceSliceSpec& spec, FieldErrors& errors) {
  SetFields set;
  if (spec.node_name()) {
    if (spec.node_name()->empty()) {
      errors.Invalid("nodeName", "", "must be either unset or set to a non-empty string");
    } else {
      set.Add("nodeName");
      ValidateFormat(kDnsSubdomainFormat, *spec.node_name(), "nodeName", errors);
    }
  }
  if (spec.has_node_selector()) {
    set.Add("nodeSelector");
    const auto at = errors.At("nodeSelector");
    ValidateNodeSelector(spec.node_selector(), false, errors);
    if (spec.node_selector().node_selector_terms().size() != 1) {
      errors.Invalid("nodeSelectorTerms",
                     ShownValue(spec.node_selector().AsValue()->Find("nodeSelectorTerms")),
                     "must have exactly one node selector term");
    }
  }
  if (ValidateFlag(spec.all_nodes(), "allNodes", errors)) set.Add("allNodes");
  if (ValidateFlag(spec.per_device_node_selection(), "perDeviceNodeSelection", errors)) {
    set.Add("perDeviceNodeSelection");
  }
  constexpr std::string_view kOne =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.count == 0) errors.Required("", kOne);
  if (set.count > 1) {
    errors.Invalid("", set.Shown(), std::string(kOne) + ", but multiple fields are set");
  }
}

bool IsAdvanced(const resource::Device& device) {
  if (!device.taints().empty() || !device.consumes_counters().empty()) return true;
  for (const auto& [name, attribute] : device.attributes()) {
    for (const std::string_view field : {"bools", "ints", "strings", "versions"}) {
      if (attribute.AsValue() != nullptr && MemberOf(attribute, field) != nullptr) return true;
    }
  }
  return false;
}

resource::Device FindDevice(const resource::ResourceSliceSpec& spec, std::string_view name) {
  for (const resource::Device device : spec.devices()) {
    if (device.name() == name) return device;
  }
  return {};
}

void ValidateSpec(const resource::ResourceSliceSpec& spec, const resource::ResourceSliceSpec& old,
                  FieldErrors& errors) {
  using Spec = resource::ResourceSliceSpec;
  const auto at = errors.At("spec");
  ValidateCsiDriverName(spec.driver(), "driver", errors);
  ValidatePool(spec.pool(), errors);
  if (old.AsValue() != nullptr) {
    ValidateImmutable(old.pool().name(), spec.pool().name(), "pool.name", errors);
    ValidateImmutable(old.driver(), spec.driver(), "driver", errors);
    ValidateImmutable(MemberOf(old, Spec::kNodeName), MemberOf(spec, Spec::kNodeName), "nodeName",
                      errors);
  }
  ValidateNodes(spec, errors);
  if (!spec.shared_counters().empty() && !spec.devices().empty()) {
    errors.Invalid("", "", "only one of `sharedCounters` or `devices` is allowed");
  }
  bool advanced = false;
  for (const resource::Device device : spec.devices()) advanced |= IsAdvanced(device);
  const bool selects_nodes = spec.per_device_node_selection().value_or(false);
  ValidateSet(
      spec.devices(), "devices", advanced ? kMaxAdvancedDevices : kMaxDevices,
      [&](const resource::Device& device, size_t) {
        ValidateSliceDevice(device, FindDevice(old, device.name()), selects_nodes, errors);
      },
      [](const resource::Device& device) { return device.name(); }, errors);
  ValidateSet(
      spec.shared_counters(), "sharedCounters", kMaxCounterSets,
      [&](const resource::CounterSet& set, size_t) {
        ValidateRequiredFormat(kDnsLabelFormat, set.name(), "name", errors);
        ValidateCounters(set.counters(), errors);
      },
      [](const resource::CounterSet& set) { return set.name(); }, errors);
}

void ValidateResourceSlice(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(resource::ResourceSlice(object).spec(), {}, errors);
}

void ValidateResourceSliceUpdate(const object::Document& object, const object::Document& old,
                                 FieldErrors& errors) {
  ValidateSpec(resource::ResourceSlice(object).spec(), resource::ResourceSlice(old).spec(), errors);
}

void WarnAboutResourceSlice(const object::Document& object, const object::Document*,
                            const KindSettings&, std::vector<std::string>& warnings) {
  const std::string_view driver = resource::ResourceSlice(object).spec().driver();
  if (AsciiLower(driver) == driver) return;
  warnings.push_back("spec.driver: driver names should be lowercase; " + Quoted(driver) +
                     " contains uppercase characters");
}

}  // namespace

constinit const KindRules kResourceSliceRules = {.group = "resource.k8s.io",
                                                 .kind = "ResourceSlice",
                                                 .create = ValidateResourceSlice,
                                                 .update = ValidateResourceSliceUpdate,
                                                 .warn = WarnAboutResourceSlice};

}  // namespace skiff::apiserver
