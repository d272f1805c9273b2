// Nodes, volumes and claims, storage classes and drivers.
#include <array>
#include <set>
#include <string>

#include "apiserver/tables/cell_text.h"
#include "apiserver/tables/code_cells.h"
#include "apiserver/tables/list_text.h"
#include "views/core/v1.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

using namespace views;

constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";

Cell NodeStatusWord(const CellContext& context) {
  const core_v1::Node node(&context.object);
  std::string_view status = "Unknown";
  for (const core_v1::NodeCondition condition : node.status().conditions()) {
    if (condition.type() != "Ready") continue;
    status = condition.status() == "True" ? "Ready" : "NotReady";
  }
  if (!node.spec().unschedulable()) return Cell::Text(status);
  return context.Concat({status, ",SchedulingDisabled"});
}

Cell NodeRoles(const CellContext& context) {
  std::set<std::string_view> roles;
  for (const auto [key, value] : core_v1::Node(&context.object).metadata().labels()) {
    std::string_view role;
    if (key.starts_with(kRolePrefix)) role = key.substr(kRolePrefix.size());
    if (key == "kubernetes.io/role") role = value;
    if (!role.empty()) roles.insert(role);
  }
  ListText text(",");
  for (const std::string_view role : roles) text.Add(role);
  return roles.empty() ? Cell::Unset() : context.Text(text.Take());
}

Cell NodeAddressOf(const CellContext& context, std::string_view type) {
  for (const auto address : core_v1::Node(&context.object).status().addresses()) {
    if (address.type() == type) return Cell::Text(address.address());
  }
  return Cell::Unset();
}
Cell NodeInternalIp(const CellContext& context) { return NodeAddressOf(context, "InternalIP"); }
Cell NodeExternalIp(const CellContext& context) { return NodeAddressOf(context, "ExternalIP"); }

Cell NodeKernel(const CellContext& context) {
  const core_v1::NodeSystemInfo info = core_v1::Node(&context.object).status().node_info();
  const std::string_view kernel =
      info.kernel_version().empty() ? "<unknown>" : info.kernel_version();
  if (info.architecture().empty()) return Cell::Text(kernel);
  return context.Concat({kernel, " (", info.architecture(), ")"});
}

Cell Terminating(const CellContext& context) {
  const bool deleted = context.object.FindPath({"metadata", "deletionTimestamp"}) != nullptr;
  return deleted ? Cell::Text("Terminating") : Cell::Unset();
}

Cell VolumeClaim(const CellContext& context) {
  const core_v1::PersistentVolumeSpec spec = core_v1::PersistentVolume(&context.object).spec();
  if (!spec.has_claim_ref()) return Cell::Text("");
  return context.Concat({spec.claim_ref().namespace_(), "/", spec.claim_ref().name()});
}

// Of a volume or a claim.
Cell VolumeStorageClass(const CellContext& context) {
  const object::Value* const annotations = context.object.FindPath({"metadata", "annotations"});
  const object::Value* name = annotations == nullptr
                                  ? nullptr
                                  : annotations->Find("volume.beta.kubernetes.io/storage-class");
  if (name == nullptr) name = context.object.FindPath({"spec", "storageClassName"});
  return Cell::Text(ValueText(name, context));
}

Cell ClaimCapacity(const CellContext& context) {
  const core_v1::PersistentVolumeClaim claim(&context.object);
  if (claim.spec().volume_name().empty()) return Cell::Text("");
  return Cell::Text(claim.status().capacity().Find("storage").value_or("0"));
}

Cell ClaimAccessModes(const CellContext& context) {
  const core_v1::PersistentVolumeClaim claim(&context.object);
  if (claim.spec().volume_name().empty()) return Cell::Text("");
  return Cell::Text(AccessModesText(context.object.FindPath({"status", "accessModes"}), context));
}

Cell StorageClassName(const CellContext& context) {
  const meta_v1::ObjectMeta metadata = storage_k8s_io_v1::StorageClass(&context.object).metadata();
  const auto annotations = metadata.annotations();
  const bool is_default =
      annotations.Get("storageclass.kubernetes.io/is-default-class") == "true" ||
      annotations.Get("storageclass.beta.kubernetes.io/is-default-class") == "true";
  return is_default ? context.Concat({metadata.name(), " (default)"}) : Cell::Text(metadata.name());
}

Cell DriverTokenRequests(const CellContext& context) {
  ListText text(",");
  const storage_k8s_io_v1::CSIDriver driver(&context.object);
  for (const auto request : driver.spec().token_requests()) text.Add(request.audience());
  return text.count() == 0 ? Cell::Unset() : context.Text(text.Take());
}

constexpr std::string_view kNodeStatus[] = {".spec.unschedulable", ".status.conditions.type",
                                            ".status.conditions.status"};
constexpr std::string_view kNodeLabels[] = {".metadata.labels"};
constexpr std::string_view kNodeAddresses[] = {".status.addresses"};
constexpr std::string_view kNodeKernel[] = {".status.nodeInfo.kernelVersion",
                                            ".status.nodeInfo.architecture"};
constexpr std::string_view kDeletion[] = {".metadata.deletionTimestamp"};
constexpr std::string_view kClaimRef[] = {".spec.claimRef"};
constexpr std::string_view kStorageClass[] = {".metadata.annotations", ".spec.storageClassName"};
constexpr std::string_view kCapacity[] = {".spec.volumeName", ".status.capacity"};
constexpr std::string_view kAccessModes[] = {".spec.volumeName", ".status.accessModes"};
constexpr std::string_view kNameAndAnnotations[] = {".metadata.name", ".metadata.annotations"};
constexpr std::string_view kTokenRequests[] = {".spec.tokenRequests.audience"};

constexpr CodeCell kCells[] = {
    {"node-status", NodeStatusWord, kNodeStatus},
    {"node-roles", NodeRoles, kNodeLabels},
    {"node-internal-ip", NodeInternalIp, kNodeAddresses},
    {"node-external-ip", NodeExternalIp, kNodeAddresses},
    {"node-kernel-version", NodeKernel, kNodeKernel},
    {"terminating", Terminating, kDeletion},
    {"pv-claim", VolumeClaim, kClaimRef},
    {"volume-storage-class", VolumeStorageClass, kStorageClass},
    {"pvc-capacity", ClaimCapacity, kCapacity},
    {"pvc-access-modes", ClaimAccessModes, kAccessModes},
    {"storageclass-name", StorageClassName, kNameAndAnnotations},
    {"csidriver-token-requests", DriverTokenRequests, kTokenRequests},
};

}  // namespace

std::span<const CodeCell> NodeAndStorageCells() { return kCells; }

}  // namespace skiff::apiserver
