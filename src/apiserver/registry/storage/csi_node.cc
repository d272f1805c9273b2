#include "apiserver/registry/storage/csi_node.h"

#include <map>
#include <ranges>
#include <string_view>

#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "apiserver/validation/seen_names.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace storage = views::storage_k8s_io_v1;

constexpr size_t kMaxNodeIdBytes = 256;

void ValidateDriver(const storage::CSINodeDriver& driver, SeenNames& names, FieldErrors& errors) {
  ValidateCsiDriverName(driver.name(), "name", errors);
  ValidateRequired(driver.node_id(), "nodeID", errors);
  if (driver.node_id().size() > kMaxNodeIdBytes) {
    errors.Invalid("nodeID", driver.node_id(), "must be 256 characters or less");
  }
  if (const auto count = driver.allocatable().count()) {
    ValidateNonNegative(*count, "allocatable.count", errors);
  }
  if (!names.Add(driver.name())) errors.Duplicate("name", driver.name());
  SeenNames keys;
  for (const std::string_view key : driver.topology_keys()) {
    ValidateRequired(key, "", errors);
    if (!keys.Add(key)) errors.Duplicate("", key);
    ValidateFormat(kQualifiedNameFormat, key, "", errors);
  }
}

void ValidateCSINode(const object::Document& object, FieldErrors& errors) {
  const auto drivers = storage::CSINode(object).spec().drivers();
  const auto spec = errors.At("spec");
  SeenNames names;
  for (size_t i = 0; i < drivers.size(); ++i) {
    const auto at = errors.At("drivers", i);
    ValidateDriver(drivers[i], names, errors);
  }
}

// But for how many volumes there can be.
bool SameDriver(const storage::CSINodeDriver& now, const storage::CSINodeDriver& old) {
  return now.node_id() == old.node_id() &&
         SameValue(MemberOf(old, storage::CSINodeDriver::kTopologyKeys),
                   MemberOf(now, storage::CSINodeDriver::kTopologyKeys));
}

void ValidateCSINodeUpdate(const object::Document& object, const object::Document& old,
                           FieldErrors& errors) {
  ValidateCSINode(object, errors);
  std::multimap<std::string_view, storage::CSINodeDriver> drivers;
  for (const storage::CSINodeDriver driver : storage::CSINode(object).spec().drivers()) {
    drivers.emplace(driver.name(), driver);
  }
  for (const storage::CSINodeDriver before : storage::CSINode(old).spec().drivers()) {
    const auto [first, last] = drivers.equal_range(before.name());
    for (const auto& [name, driver] : std::ranges::subrange(first, last)) {
      if (SameDriver(driver, before)) continue;
      object::Document shown = object::Document::OfType(storage::CSINodeDriver::Type());
      shown.root() = driver.AsValue()->CopyInto(shown.arena());
      shown.root().Erase("allocatable");
      errors.Invalid("spec.drivers", ShownValue(shown.root()), kIsImmutable);
    }
  }
}

}  // namespace

constinit const KindRules kCSINodeRules = {.group = "storage.k8s.io",
                                           .kind = "CSINode",
                                           .create = ValidateCSINode,
                                           .update = ValidateCSINodeUpdate};

}  // namespace skiff::apiserver
