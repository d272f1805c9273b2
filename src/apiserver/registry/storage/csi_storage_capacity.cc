#include "apiserver/registry/storage/csi_storage_capacity.h"

#include <string>

#include "apiserver/registry/core/node_labels.h"
#include "apiserver/validation/common.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

using Capacity = views::storage_k8s_io_v1::CSIStorageCapacity;

void Validate(const Capacity& capacity, const LabelSelectorOptions& options, FieldErrors& errors) {
  if (capacity.has_node_topology()) {
    const auto at = errors.At("nodeTopology");
    ValidateLabelSelector(capacity.node_topology(), options, errors);
  }
  ValidateFormat(kDnsSubdomainFormat, capacity.storage_class_name(), "storageClassName", errors);
  if (capacity.capacity()) ValidateNonNegativeQuantity(*capacity.capacity(), "capacity", errors);
}

void ValidateCSIStorageCapacity(const object::Document& object, FieldErrors& errors) {
  Validate(Capacity(object), {}, errors);
}

void ValidateCSIStorageCapacityUpdate(const object::Document& object, const object::Document& old,
                                      FieldErrors& errors) {
  const Capacity before(old);
  Validate(Capacity(object), {.allow_invalid_values = HasInvalidLabelValue(before.node_topology())},
           errors);
  ValidateImmutable(old.root().Member(Capacity::kNodeTopology),
                    object.root().Member(Capacity::kNodeTopology), "nodeTopology", errors);
  ValidateImmutable(before.storage_class_name(), Capacity(object).storage_class_name(),
                    "storageClassName", errors);
}

void WarnAboutCSIStorageCapacity(const object::Document& object, const object::Document*,
                                 const KindSettings&, std::vector<std::string>& warnings) {
  const auto topology = Capacity(object).node_topology();
  for (size_t i = 0; i < topology.match_expressions().size(); ++i) {
    const std::string_view key = topology.match_expressions()[i].key();
    const std::string_view why = DeprecationOfNodeLabel(key);
    if (why.empty()) continue;
    warnings.push_back("nodeTopology.matchExpressions[" + std::to_string(i) +
                       "].key: " + std::string(key) + " is " + std::string(why));
  }
  for (const auto& [key, value] : topology.match_labels()) {
    const std::string_view why = DeprecationOfNodeLabel(key);
    if (why.empty()) continue;
    warnings.push_back("nodeTopology.matchLabels." + std::string(key) + ": " + std::string(why));
  }
}

}  // namespace

constinit const KindRules kCSIStorageCapacityRules = {.group = "storage.k8s.io",
                                                      .kind = "CSIStorageCapacity",
                                                      .create = ValidateCSIStorageCapacity,
                                                      .update = ValidateCSIStorageCapacityUpdate,
                                                      .warn = WarnAboutCSIStorageCapacity};

}  // namespace skiff::apiserver
