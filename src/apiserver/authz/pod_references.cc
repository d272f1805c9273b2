#include "apiserver/authz/pod_references.h"

#include "object/value.h"

namespace skiff::apiserver {
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

bool Visit(const NameVisitor& visit, std::string_view name) { return !name.empty() && visit(name); }

template <typename AnyKindOfContainer>
bool VisitContainerSecrets(const AnyKindOfContainer& container, const NameVisitor& visit) {
  for (const core::EnvFromSource source : container.env_from()) {
    if (Visit(visit, source.secret_ref().name())) return true;
  }
  for (const core::EnvVar variable : container.env()) {
    if (Visit(visit, variable.value_from().secret_key_ref().name())) return true;
  }
  return false;
}

template <typename AnyKindOfContainer>
bool VisitContainerConfigMaps(const AnyKindOfContainer& container, const NameVisitor& visit) {
  for (const core::EnvFromSource source : container.env_from()) {
    if (Visit(visit, source.config_map_ref().name())) return true;
  }
  for (const core::EnvVar variable : container.env()) {
    if (Visit(visit, variable.value_from().config_map_key_ref().name())) return true;
  }
  return false;
}

bool VisitVolumeSecrets(const core::Volume& volume, const NameVisitor& visit) {
  for (const core::VolumeProjection source : volume.projected().sources()) {
    if (Visit(visit, source.secret().name())) return true;
  }
  return Visit(visit, volume.azure_file().secret_name()) ||
         Visit(visit, volume.cephfs().secret_ref().name()) ||
         Visit(visit, volume.cinder().secret_ref().name()) ||
         Visit(visit, volume.flex_volume().secret_ref().name()) ||
         Visit(visit, volume.rbd().secret_ref().name()) ||
         Visit(visit, volume.secret().secret_name()) ||
         Visit(visit, volume.scale_io().secret_ref().name()) ||
         Visit(visit, volume.iscsi().secret_ref().name()) ||
         Visit(visit, volume.storageos().secret_ref().name()) ||
         Visit(visit, volume.csi().node_publish_secret_ref().name());
}

bool AnyName(std::string_view) { return true; }

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
std::optional<std::string> KindOf(const object::Value* source, const SourceKind (&kinds)[N],
                                  bool& empty) {
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

bool VisitSecretNames(const core::PodSpec& spec, const NameVisitor& visit) {
  for (const core::LocalObjectReference each : spec.image_pull_secrets()) {
    if (Visit(visit, each.name())) return true;
  }
  if (AnyContainer(spec, [&](const auto& each) { return VisitContainerSecrets(each, visit); })) {
    return true;
  }
  for (const core::Volume volume : spec.volumes()) {
    if (VisitVolumeSecrets(volume, visit)) return true;
  }
  return false;
}

bool VisitConfigMapNames(const core::PodSpec& spec, const NameVisitor& visit) {
  if (AnyContainer(spec, [&](const auto& each) { return VisitContainerConfigMaps(each, visit); })) {
    return true;
  }
  for (const core::Volume volume : spec.volumes()) {
    if (Visit(visit, volume.config_map().name())) return true;
    for (const core::VolumeProjection source : volume.projected().sources()) {
      if (Visit(visit, source.config_map().name())) return true;
    }
  }
  return false;
}

bool RefersToSecrets(const core::PodSpec& spec) { return VisitSecretNames(spec, AnyName); }

std::optional<std::string> FindReference(const core::PodSpec& spec, std::string& fault) {
  if (!spec.service_account_name().empty()) return "serviceaccounts";
  if (RefersToSecrets(spec)) return "secrets";
  if (VisitConfigMapNames(spec, AnyName)) return "configmaps";
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

}  // namespace skiff::apiserver
