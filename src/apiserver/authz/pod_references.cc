#include "apiserver/admission/pod_references.h"

#include "object/value.h"

namespace skiff {
namespace {

namespace core = views::core_v1;

// Calls with each container of any kind; stops at the first true.
template <typename Call>
bool AnyContainer(const core::PodSpec& spec, Call call) {
  for (const core::Container each : spec.init_containers()) {
    if (call(each)) return true;
  }
  for (const core::Container each : spec.containers()) {
    if (call(each)) return true;
  }
  for (const core::EphemeralContainer each : spec.ephemeral_containers()) {
    if (call(each)) return true;
  }
  return false;
}

template <typename AnyKindOfContainer>
bool NamesSecret(const AnyKindOfContainer& container) {
  for (const core::EnvFromSource source : container.env_from()) {
    if (!source.secret_ref().name().empty()) return true;
  }
  for (const core::EnvVar variable : container.env()) {
    if (!variable.value_from().secret_key_ref().name().empty()) return true;
  }
  return false;
}

template <typename AnyKindOfContainer>
bool NamesConfigMap(const AnyKindOfContainer& container) {
  for (const core::EnvFromSource source : container.env_from()) {
    if (!source.config_map_ref().name().empty()) return true;
  }
  for (const core::EnvVar variable : container.env()) {
    if (!variable.value_from().config_map_key_ref().name().empty()) return true;
  }
  return false;
}

bool NamesSecret(const core::Volume& volume) {
  for (const core::VolumeProjection source : volume.projected().sources()) {
    if (!source.secret().name().empty()) return true;
  }
  return !volume.azure_file().secret_name().empty() ||
         !volume.cephfs().secret_ref().name().empty() ||
         !volume.cinder().secret_ref().name().empty() ||
         !volume.flex_volume().secret_ref().name().empty() ||
         !volume.rbd().secret_ref().name().empty() || !volume.secret().secret_name().empty() ||
         !volume.scale_io().secret_ref().name().empty() ||
         !volume.iscsi().secret_ref().name().empty() ||
         !volume.storageos().secret_ref().name().empty() ||
         !volume.csi().node_publish_secret_ref().name().empty();
}

bool RefersToConfigMaps(const core::PodSpec& spec) {
  if (AnyContainer(spec, [](const auto& each) { return NamesConfigMap(each); })) return true;
  for (const core::Volume volume : spec.volumes()) {
    if (!volume.config_map().name().empty()) return true;
    for (const core::VolumeProjection source : volume.projected().sources()) {
      if (!source.config_map().name().empty()) return true;
    }
  }
  return false;
}

// Members of a volume, and what they stand for; null: nothing that is an object of the API.
struct SourceKind {
  std::string_view member;
  const char* refers_to;
};
constexpr SourceKind kVolumes[] = {
    {"configMap", "configmaps (via configmap volumes)"},
    {"secret", "secrets (via secret volumes)"},
    {"csi", "csidrivers (via CSI volumes)"},
    {"glusterfs", "endpoints (via glusterFS volumes)"},
    {"persistentVolumeClaim", "persistentvolumeclaims"},
    {"ephemeral", "persistentvolumeclaims (via ephemeral volumes)"},
    {"azureFile", "secrets (via azureFile volumes)"},
};
constexpr SourceKind kProjections[] = {
    {"configMap", "configmaps (via projected volumes)"},
    {"secret", "secrets (via projected volumes)"},
    {"serviceAccountToken", "serviceaccounts (via projected volumes)"},
    {"clusterTrustBundle", "clustertrustbundles"},
    {"podCertificate", "podcertificates"},
};

// What the first member but a name says; nothing when there is no member at all.
template <size_t N>
std::optional<std::string> KindOf(const Value* source, const SourceKind (&kinds)[N], bool& empty) {
  empty = source == nullptr;
  if (empty) return std::nullopt;
  size_t members = source->size();
  if (source->Find("name") != nullptr) --members;
  empty = members == 0;
  for (const SourceKind& kind : kinds) {
    if (source->Find(kind.member) != nullptr) return kind.refers_to;
  }
  return std::nullopt;
}

}  // namespace

bool RefersToSecrets(const core::PodSpec& spec) {
  for (const core::LocalObjectReference each : spec.image_pull_secrets()) {
    if (!each.name().empty()) return true;
  }
  if (AnyContainer(spec, [](const auto& each) { return NamesSecret(each); })) return true;
  for (const core::Volume volume : spec.volumes()) {
    if (NamesSecret(volume)) return true;
  }
  return false;
}

std::optional<std::string> FindReference(const core::PodSpec& spec, std::string& fault) {
  if (!spec.service_account_name().empty()) return "serviceaccounts";
  if (RefersToSecrets(spec)) return "secrets";
  if (RefersToConfigMaps(spec)) return "configmaps";
  if (!spec.resource_claims().empty()) return "resourceclaims";
  bool empty = false;
  for (const core::Volume volume : spec.volumes()) {
    if (auto kind = KindOf(volume.AsValue(), kVolumes, empty)) return kind;
    if (empty) fault = "unknown volume type for volume \"" + std::string(volume.name()) + "\"";
    for (const core::VolumeProjection source : volume.projected().sources()) {
      if (auto kind = KindOf(source.AsValue(), kProjections, empty)) return kind;
      if (empty)
        fault = "unknown source for projected volume \"" + std::string(volume.name()) + "\"";
    }
  }
  return std::nullopt;
}

}  // namespace skiff
