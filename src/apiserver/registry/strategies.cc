#include "apiserver/registry/strategies.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "apiserver/validation/features.h"
#include "views/core/v1.h"
#include "views/networking.k8s.io/v1.h"
#include "views/resource.k8s.io/v1.h"
#include "views/resource.k8s.io/v1alpha3.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff {
namespace {

namespace core = views::core_v1;
namespace networking = views::networking_k8s_io_v1;
namespace resource = views::resource_k8s_io_v1;
namespace taints = views::resource_k8s_io_v1alpha3;
namespace storage = views::storage_k8s_io_v1;

bool Same(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return DeepEqual(*a, *b);
}

// Kubelets are not configured this way any more; where it is stored it stays.
void DropNodeConfig(Document& object, const core::Node& old) {
  core::MutableNode node(object);
  if (node.Read().spec().has_config_source() && !old.spec().has_config_source()) {
    node.mutable_spec().clear_config_source();
  }
  if (node.Read().status().has_config() && !old.status().has_config()) {
    node.mutable_status().clear_config();
  }
}

void CreateNode(Document& object, Timestamp) { DropNodeConfig(object, core::Node()); }

void UpdateNode(std::string_view, const Document& old, Document& object, Timestamp) {
  DropNodeConfig(object, core::Node(old));
}

void CreateVolume(Document& object, Timestamp now) {
  core::MutablePersistentVolume volume(object);
  volume.clear_status();
  volume.mutable_status().set_phase("Pending");
  volume.mutable_status().set_last_phase_transition_time(now);
}

void UpdateVolume(std::string_view subresource, const Document& old, Document& object,
                  Timestamp now) {
  if (subresource != "status") return;
  const core::PersistentVolumeStatus before = core::PersistentVolume(old).status();
  core::MutablePersistentVolume volume(object);
  const std::optional<Timestamp> given = volume.Read().status().last_phase_transition_time();
  const std::optional<Timestamp> last = before.last_phase_transition_time();
  if (before.phase() != volume.Read().status().phase()) {
    if (!given || given == last) volume.mutable_status().set_last_phase_transition_time(now);
  } else if (!given && last) {
    volume.mutable_status().set_last_phase_transition_time(*last);
  }
}

bool IsClaimOrSnapshot(const core::TypedLocalObjectReference& source) {
  const std::string_view group = source.api_group().value_or("");
  if (group.empty()) return source.kind() == "PersistentVolumeClaim";
  return group == "snapshot.storage.k8s.io" && source.kind() == "VolumeSnapshot";
}

// Texts of their own, because writing to a document moves what views look at.
struct Names {
  std::string kind;
  std::string name;
  std::optional<std::string> group;
};

template <typename Reference>
Names NamesOf(const Reference& from) {
  Names out{std::string(from.kind()), std::string(from.name()), {}};
  if (from.api_group()) out.group = *from.api_group();
  return out;
}

template <typename Reference>
void Copy(const Names& names, Reference to) {
  to.set_kind(names.kind);
  to.set_name(names.name);
  if (names.group) to.set_api_group(*names.group);
}

// dataSource came first and could name claims and snapshots only; dataSourceRef says the same of
// anything. Each is made from the other.
void JoinDataSources(Document& object, const core::PersistentVolumeClaimSpec& old) {
  core::MutablePersistentVolumeClaim claim(object);
  const core::PersistentVolumeClaimSpec spec = claim.Read().spec();
  if (!spec.has_data_source() && !spec.has_data_source_ref()) return;
  const bool was_used = old.has_data_source() || old.has_data_source_ref();
  if (!was_used && spec.has_data_source() && !spec.has_data_source_ref() &&
      !IsClaimOrSnapshot(spec.data_source())) {
    claim.mutable_spec().clear_data_source();
    return;
  }
  if (spec.has_data_source() && !spec.has_data_source_ref()) {
    const Names names = NamesOf(spec.data_source());
    Copy(names, claim.mutable_spec().mutable_data_source_ref());
  } else if (spec.has_data_source_ref() && !spec.has_data_source() &&
             spec.data_source_ref().namespace_().value_or("").empty()) {
    const Names names = NamesOf(spec.data_source_ref());
    Copy(names, claim.mutable_spec().mutable_data_source());
  }
}

// A reference to another namespace is one that a feature allows; where one is stored, another may
// come.
void DropSourceElsewhere(Document& object, const core::PersistentVolumeClaimSpec& old) {
  if (IsOn(Feature::kCrossNamespaceDataSources) || old.has_data_source_ref()) return;
  core::MutablePersistentVolumeClaim claim(object);
  if (claim.Read().spec().data_source_ref().namespace_().value_or("").empty()) return;
  claim.mutable_spec().clear_data_source_ref();
}

void CreateClaim(Document& object, Timestamp) {
  DropSourceElsewhere(object, core::PersistentVolumeClaimSpec());
  JoinDataSources(object, core::PersistentVolumeClaimSpec());
}

void UpdateClaim(std::string_view subresource, const Document& old, Document& object, Timestamp) {
  if (!subresource.empty()) return;
  DropSourceElsewhere(object, core::PersistentVolumeClaim(old).spec());
  JoinDataSources(object, core::PersistentVolumeClaim(old).spec());
}

// Of the secrets of an account only names count.
void CleanSecrets(Document& object) {
  core::MutableServiceAccount account(object);
  const auto secrets = account.Read().secrets();
  for (size_t i = 0; i < secrets.size(); ++i) {
    Value* item = object.root().Find("secrets");
    Value& secret = item->items()[i];
    for (const std::string_view field :
         {"kind", "namespace", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
      secret.Erase(field);
    }
  }
}

void CreateAccount(Document& object, Timestamp) { CleanSecrets(object); }

void UpdateAccount(std::string_view, const Document&, Document& object, Timestamp) {
  CleanSecrets(object);
}

// The generation counts changes, but it begins at zero.
void UpdateDriver(std::string_view, const Document& old, Document& object, Timestamp) {
  constexpr uint16_t kSpec = storage::CSIDriver::kSpec;
  if (Same(old.root().Member(kSpec), object.root().Member(kSpec))) return;
  storage::MutableCSIDriver(object).mutable_metadata().set_generation(
      storage::CSIDriver(old).metadata().generation() + 1);
}

void CreateServiceCIDR(Document& object, Timestamp) {
  if (!IsOn(Feature::kWipedServiceCidrStatus)) return;
  networking::MutableServiceCIDR(object).clear_status();
}

void UpdateServiceCIDR(std::string_view subresource, const Document& old, Document& object,
                       Timestamp) {
  if (!subresource.empty() || !IsOn(Feature::kWipedServiceCidrStatus)) return;
  const networking::ServiceCIDR before(old);
  networking::MutableServiceCIDR range(object);
  if (before.has_status()) {
    range.set_status(before.status());
  } else {
    range.clear_status();
  }
}

// What tells devices of a claim apart.
using DeviceKey = std::tuple<std::string_view, std::string_view, std::string_view,
                             std::optional<std::string_view>>;

template <typename Device>
DeviceKey KeyOf(const Device& device) {
  return {device.driver(), device.pool(), device.device(), device.share_id()};
}

std::set<DeviceKey> AllocatedIn(const Document& claim) {
  std::set<DeviceKey> out;
  const auto results = resource::ResourceClaim(claim).status().allocation().devices().results();
  for (const resource::DeviceRequestAllocationResult result : results) out.insert(KeyOf(result));
  return out;
}

// A taint that begins to do something else begins anew.
void UpdateTaintRule(std::string_view subresource, const Document& old, Document& object,
                     Timestamp now) {
  if (!subresource.empty()) return;
  const taints::DeviceTaint before = taints::DeviceTaintRule(old).spec().taint();
  taints::MutableDeviceTaintRule rule(object);
  const taints::DeviceTaint taint = rule.Read().spec().taint();
  if (taint.effect() == before.effect() || taint.time_added() != before.time_added()) return;
  rule.mutable_spec().mutable_taint().set_time_added({now.seconds, 0});
}

constexpr KindStrategy kStrategies[] = {
    {"", "nodes", CreateNode, UpdateNode},
    {"", "persistentvolumes", CreateVolume, UpdateVolume},
    {"", "persistentvolumeclaims", CreateClaim, UpdateClaim},
    {"", "serviceaccounts", CreateAccount, UpdateAccount},
    {"storage.k8s.io", "csidrivers", nullptr, UpdateDriver},
    {"networking.k8s.io", "servicecidrs", CreateServiceCIDR, UpdateServiceCIDR},
    {"resource.k8s.io", "devicetaintrules", nullptr, UpdateTaintRule},
};

}  // namespace

void JoinDataSources(Document& claim) {
  JoinDataSources(claim, core::PersistentVolumeClaim(claim).spec());
}

void ForgetDevicesGivenBack(const Document& old, Document& object) {
  Value* status = object.root().Find("status");
  Value* devices = status != nullptr ? status->Find("devices") : nullptr;
  if (devices == nullptr) return;
  const std::set<DeviceKey> before = AllocatedIn(old);
  const std::set<DeviceKey> now = AllocatedIn(object);
  devices->EraseItemsIf([&](const Value& each) {
    const DeviceKey device = KeyOf(resource::AllocatedDeviceStatus(&each));
    return before.contains(device) && !now.contains(device);
  });
  if (devices->size() == 0) status->Erase("devices");
}

std::span<const KindStrategy> KindStrategies() { return kStrategies; }

}  // namespace skiff
