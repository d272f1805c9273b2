#include "apiserver/registry/core/node.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "apiserver/registry/core/resources.h"
#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "base/strings.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Kubernetes reports taints at the metadata, where they once were annotations.
void ValidateTaints(const object::ListView<core::Taint>& taints, FieldErrors& errors) {
  const auto metadata = errors.At("metadata");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < taints.size(); ++i) {
    const core::Taint taint = taints[i];
    const auto at = errors.At("taints", i);
    ValidateFormat(kQualifiedNameFormat, taint.key(), "key", errors);
    if (!object::IsLabelValue(taint.value())) {
      std::string problems;
      for (const std::string& problem : object::CheckLabelValue(taint.value())) {
        (problems += problems.empty() ? "" : ";") += problem;
      }
      errors.Invalid("value", taint.value(), problems);
    }
    if (taint.effect().empty()) {
      errors.Required("effect");
    } else {
      ValidateOneOf(taint.effect(), {"NoSchedule", "PreferNoSchedule", "NoExecute"}, "effect",
                    errors);
    }
    if (!seen.emplace(taint.effect(), taint.key()).second) {
      errors.Duplicate("", ShownValue(taint.AsValue()),
                       "taints must be unique by key and effect pair");
    }
  }
}

void ValidateAmounts(const object::MapView<std::string_view>& amounts, std::string_view field,
                     FieldErrors& errors) {
  const auto status = errors.At("status");
  const auto at = errors.At(field);
  for (const auto& [name, quantity] : amounts) {
    const auto resource = errors.At(name);
    ValidateResourceQuantity(name, quantity, errors);
  }
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "MyFeature/mySubFeature": words with slashes between them, the first one capitalized.
bool IsFeatureName(std::string_view name) {
  if (name.empty() || name[0] < 'A' || name[0] > 'Z' || name.back() == '/') return false;
  for (size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '/') {
      if (!IsLetter(name[i + 1])) return false;
    } else if (!IsLetter(name[i]) && !IsDigit(name[i])) {
      return false;
    }
  }
  return true;
}

// Empty when nothing is wrong with it.
std::string_view FaultOfFeatureName(std::string_view name) {
  if (name.size() > object::kMaxDnsSubdomainLength) return "must be no more than 253 characters";
  if (IsFeatureName(name)) return {};
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
         "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters "
         "and slashes";
}

void ValidateFeatures(const object::ListView<std::string_view>& features, FieldErrors& errors) {
  const auto status = errors.At("status");
  for (size_t i = 0; i < features.size(); ++i) {
    if (const std::string_view fault = FaultOfFeatureName(features[i]); !fault.empty()) {
      const auto at = errors.At("declaredFeatures", i);
      const ShownValue shown(features[i]);
      errors.Invalid("", shown, "invalid feature name " + shown.json() + ": " + std::string(fault));
    }
    if (i + 1 == features.size()) break;
    const auto at = errors.At("declaredFeatures", i + 1);
    if (features[i] == features[i + 1]) {
      errors.Duplicate("", features[i + 1]);
    } else if (features[i] > features[i + 1]) {
      errors.Invalid("", features[i + 1], "list must be sorted alphabetically");
    }
  }
}

void ValidatePodCidrs(const core::NodeSpec& spec, FieldErrors& errors) {
  const auto cidrs = spec.pod_cidrs();
  const auto at = errors.At("spec");
  std::string unreadable;
  int families[2] = {};
  for (size_t i = 0; i < cidrs.size(); ++i) {
    const auto cidr = errors.At("podCIDRs", i);
    CheckOldCidr(cidrs[i], "", errors);
    const std::optional<IpRange> range = ReadCidr(cidrs[i]);
    if (range) {
      ++families[range->is_v4() ? 0 : 1];
    } else if (unreadable.empty()) {
      unreadable = "invalid CIDR[" + std::to_string(i) +
                   "]: <nil> (invalid CIDR address: " + std::string(cidrs[i]) + ")";
    }
  }
  if (cidrs.size() < 2) return;
  if (!unreadable.empty()) {
    errors.Internal("podCIDRs",
                    "invalid PodCIDRs. failed to check with dual stack with error:" + unreadable);
  }
  if (!unreadable.empty() || cidrs.size() > 2 || families[0] == 0 || families[1] == 0) {
    errors.Invalid("podCIDRs", ShownValue(MemberOf(spec, core::NodeSpec::kPodCIDRs)),
                   "may specify no more than one CIDR for each IP family");
  }
}

void ValidateNode(const object::Document& object, FieldErrors& errors) {
  const core::Node node(object);
  ValidateTaints(node.spec().taints(), errors);
  ValidateAmounts(node.status().capacity(), "capacity", errors);
  ValidateAmounts(node.status().allocatable(), "allocatable", errors);
  if (const auto swap = node.status().node_info().swap().capacity()) {
    ValidatePositive(*swap, "metadata.nodeSwapStatus.capacity", errors);
  }
  ValidateFeatures(node.status().declared_features(), errors);
  ValidatePodCidrs(node.spec(), errors);
}

// Where the configuration of a kubelet came from, when there still was such a thing.
void ValidateConfigSource(const core::NodeConfigSource& source, bool in_status,
                          FieldErrors& errors) {
  if (!source.has_config_map()) {
    return errors.Invalid("", ShownValue(source.AsValue()),
                          "exactly one reference subfield must be non-nil");
  }
  const core::ConfigMapNodeConfigSource map = source.config_map();
  const auto at = errors.At("configMap");
  if (in_status) {
    ValidateRequired(map.uid(), "uid", errors);
    ValidateRequired(map.resource_version(), "resourceVersion", errors);
  } else {
    if (!map.uid().empty()) errors.Forbidden("uid", "uid must not be set in spec");
    if (!map.resource_version().empty()) {
      errors.Forbidden("resourceVersion", "resourceVersion must not be set in spec");
    }
  }
  ValidateRequiredFormat(kDnsLabelFormat, map.namespace_(), "namespace", errors);
  ValidateRequiredFormat(kDnsSubdomainFormat, map.name(), "name", errors);
  ValidateRequiredFormat(kConfigMapKeyFormat, map.kubelet_config_key(), "kubeletConfigKey", errors);
}

void ValidateConfig(const core::Node& node, FieldErrors& errors) {
  if (node.spec().has_config_source()) {
    const auto spec = errors.At("spec");
    const auto at = errors.At("configSource");
    ValidateConfigSource(node.spec().config_source(), false, errors);
  }
  if (!node.status().has_config()) return;
  const core::NodeConfigStatus config = node.status().config();
  const auto status = errors.At("status");
  const auto at = errors.At("config");
  const auto check = [&](bool has, const core::NodeConfigSource& source, std::string_view field) {
    if (!has) return;
    const auto place = errors.At(field);
    ValidateConfigSource(source, true, errors);
  };
  check(config.has_assigned(), config.assigned(), "assigned");
  check(config.has_active(), config.active(), "active");
  check(config.has_last_known_good(), config.last_known_good(), "lastKnownGood");
}

void ValidateAddresses(const object::ListView<core::NodeAddress>& addresses, FieldErrors& errors) {
  const auto status = errors.At("status");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (seen.emplace(addresses[i].type(), addresses[i].address()).second) continue;
    const auto at = errors.At("addresses", i);
    errors.Duplicate("", ShownValue(addresses[i].AsValue()));
  }
}

void ValidateSamePodCidrs(const core::NodeSpec& spec, const core::NodeSpec& old,
                          FieldErrors& errors) {
  constexpr std::string_view kWhy = "node updates may not change podCIDR except from \"\" to valid";
  const auto before = old.pod_cidrs();
  const auto now = spec.pod_cidrs();
  if (before.empty()) return;
  if (before.size() != now.size()) return errors.Forbidden("spec.podCIDRs", kWhy);
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] != now[i]) errors.Forbidden("spec.podCIDRs", kWhy);
  }
}

void ValidateNodeChange(const object::Document& object, const object::Document& old,
                        FieldErrors& errors) {
  const core::Node node(object);
  const core::NodeSpec before = core::Node(old).spec();
  ValidateAmounts(node.status().capacity(), "capacity", errors);
  ValidateAmounts(node.status().allocatable(), "allocatable", errors);
  ValidateFeatures(node.status().declared_features(), errors);
  ValidateAddresses(node.status().addresses(), errors);
  ValidateSamePodCidrs(node.spec(), before, errors);
  if (!before.provider_id().empty() && before.provider_id() != node.spec().provider_id()) {
    errors.Forbidden("spec.providerID",
                     "node updates may not change providerID except from \"\" to valid");
  }
  ValidateConfig(node, errors);
  ValidateTaints(node.spec().taints(), errors);
  if (before.external_id() != node.spec().external_id()) {
    errors.Forbidden("spec.externalID", "may not be updated");
  }
}

void ValidateNodeUpdate(const object::Document& object, const object::Document& old,
                        FieldErrors& errors) {
  ValidateNode(object, errors);
  ValidateNodeChange(object, old, errors);
}

void WarnAboutNode(const object::Document& object, const object::Document*, const KindSettings&,
                   std::vector<std::string>& warnings) {
  const core::NodeSpec spec = core::Node(object).spec();
  if (spec.has_config_source()) {
    warnings.emplace_back("spec.configSource: the feature is removed");
  }
  if (!spec.external_id().empty()) {
    warnings.emplace_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
  for (size_t i = 0; i < spec.pod_cidrs().size(); ++i) {
    WarnAboutCidr("spec.podCIDRs[" + std::to_string(i) + "]", spec.pod_cidrs()[i], warnings);
  }
}

}  // namespace

constinit const KindRules kNodeRules = {.group = "",
                                        .kind = "Node",
                                        .create = ValidateNode,
                                        .update = ValidateNodeUpdate,
                                        .status = ValidateNodeChange,
                                        .warn = WarnAboutNode};

}  // namespace skiff::apiserver
