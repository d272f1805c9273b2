#include "apiserver/registry/core/volume_sources.h"

#include <algorithm>
#include <string>

#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/persistent_volume_claim_spec.h"
#include "apiserver/registry/core/projected_volumes.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr int kMaxLun = 255;
constexpr int kMaxPartition = 255;

bool IsAlnum(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// iqn.yyyy-mm.domain:name
bool IsIqn(std::string_view name) {
  constexpr std::string_view kShape = "iqn.0000-00.";
  if (name.size() <= kShape.size()) return false;
  for (size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == '0' ? !IsDigit(name[i]) : name[i] != kShape[i]) return false;
  }
  const std::string_view rest = name.substr(kShape.size());
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == rest.size()) return false;
  const bool has_domain = std::ranges::all_of(
      rest.substr(0, colon), [](char c) { return IsAlnum(c) || c == '-' || c == '.'; });
  return has_domain && rest.find_first_of(",;*&$| \t\n\f\r", colon + 1) == std::string_view::npos;
}

// eui or naa, any separator, and so many letters and digits.
bool IsIdentifier(std::string_view name, size_t count) {
  constexpr size_t kPrefix = 4;
  return name.size() == kPrefix + count && std::ranges::all_of(name.substr(kPrefix), IsAlnum);
}

void ValidateIscsiName(std::string_view name, std::string_view field, FieldErrors& errors) {
  if (IsIscsiName(name)) return;
  const bool known = name.starts_with("iqn") || name.starts_with("eui") || name.starts_with("naa");
  errors.Invalid(
      field, name,
      known ? "must be valid format" : "must be valid format starting with iqn, eui, or naa");
}

void EmptyDir(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const auto limit = of_pod.volume.empty_dir().size_limit();
  if (limit && limit->starts_with('-') && ParsedQuantity(*limit).Sign() < 0) {
    errors.Forbidden("sizeLimit", "SizeLimit field must be a valid resource quantity");
  }
}

void HostPath(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::HostPathVolumeSource source = of_pod.volume.host_path();
  if (source.path().empty()) return errors.Required("path");
  ValidateNoBacksteps(source.path(), "path", errors);
  if (const auto type = source.type()) {
    ValidateOneOf(*type,
                  {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                   "FileOrCreate", "Socket"},
                  "type", errors);
  }
}

void GitRepo(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.git_repo().repository(), "repository", errors);
  ValidateDescendingPath(of_pod.volume.git_repo().directory(), "directory", errors);
}

// The message names another range than the one that is allowed, as Kubernetes has it.
void ValidatePartition(int32_t partition, FieldErrors& errors) {
  if (partition >= 0 && partition <= kMaxPartition) return;
  errors.Invalid("partition", partition, "must be between 1 and 255, inclusive");
}

void GcePersistentDisk(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.gce_persistent_disk().pd_name(), "pdName", errors);
  ValidatePartition(of_pod.volume.gce_persistent_disk().partition(), errors);
}

void AwsElasticBlockStore(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.aws_elastic_block_store().volume_id(), "volumeID", errors);
  ValidatePartition(of_pod.volume.aws_elastic_block_store().partition(), errors);
}

void ValidateItems(const object::ListView<core::KeyToPath>& items, FieldErrors& errors) {
  for (size_t i = 0; i < items.size(); ++i) {
    const auto at = errors.At("items", i);
    ValidateKeyToPath(items[i], errors);
  }
}

void Secret(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::SecretVolumeSource source = of_pod.volume.secret();
  ValidateRequired(source.secret_name(), "secretName", errors);
  ValidateFileMode(source.default_mode(), "defaultMode", errors);
  ValidateItems(source.items(), errors);
}

void ConfigMap(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::ConfigMapVolumeSource source = of_pod.volume.config_map();
  ValidateRequired(source.name(), "name", errors);
  ValidateFileMode(source.default_mode(), "defaultMode", errors);
  ValidateItems(source.items(), errors);
}

void Nfs(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::NFSVolumeSource source = of_pod.volume.nfs();
  ValidateRequired(source.server(), "server", errors);
  ValidateRequired(source.path(), "path", errors);
  if (!source.path().starts_with('/')) {
    errors.Invalid("path", source.path(), "must be an absolute path");
  }
}

void Iscsi(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::ISCSIVolumeSource source = of_pod.volume.iscsi();
  ValidateRequired(source.target_portal(), "targetPortal", errors);
  if (source.iqn().empty()) {
    errors.Required("iqn");
  } else {
    ValidateIscsiName(source.iqn(), "iqn", errors);
  }
  ValidateInRange(source.lun(), 0, kMaxLun, "lun", errors);
  if ((source.chap_auth_discovery() || source.chap_auth_session()) && !source.has_secret_ref()) {
    errors.Required("secretRef");
  }
  if (const auto name = source.initiator_name()) ValidateIscsiName(*name, "initiatorname", errors);
}

void Glusterfs(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.glusterfs().endpoints(), "endpoints", errors);
  ValidateRequired(of_pod.volume.glusterfs().path(), "path", errors);
}

void Flocker(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::FlockerVolumeSource source = of_pod.volume.flocker();
  if (source.dataset_name().empty() && source.dataset_uuid().empty()) {
    errors.Required("", "one of datasetName and datasetUUID is required");
  }
  if (!source.dataset_name().empty() && !source.dataset_uuid().empty()) {
    errors.Invalid("", "resource",
                   "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (source.dataset_name().find('/') != std::string_view::npos) {
    errors.Invalid("datasetName", source.dataset_name(), "must not contain '/'");
  }
}

void PersistentVolumeClaim(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.persistent_volume_claim().claim_name(), "claimName", errors);
}

void Rbd(const VolumeOfPod& of_pod, FieldErrors& errors) {
  if (of_pod.volume.rbd().monitors().empty()) errors.Required("monitors");
  ValidateRequired(of_pod.volume.rbd().image(), "image", errors);
}

void Cinder(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::CinderVolumeSource source = of_pod.volume.cinder();
  ValidateRequired(source.volume_id(), "volumeID", errors);
  if (source.has_secret_ref())
    ValidateRequired(source.secret_ref().name(), "secretRef.name", errors);
}

void Cephfs(const VolumeOfPod& of_pod, FieldErrors& errors) {
  if (of_pod.volume.cephfs().monitors().empty()) errors.Required("monitors");
}

// host:port, where the host may stand in brackets.
bool IsHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) return host.find(']') == host.size() - 1;
  return host.find_first_of(":[]") == std::string_view::npos &&
         text.find_first_of("[]", colon) == std::string_view::npos;
}

void Quobyte(const VolumeOfPod& of_pod, FieldErrors& errors) {
  constexpr size_t kMaxTenantBytes = 64;
  constexpr std::string_view kWhy =
      "must be a host:port pair or multiple pairs separated by commas";
  const core::QuobyteVolumeSource source = of_pod.volume.quobyte();
  if (source.registry().empty()) {
    errors.Required("registry", kWhy);
  } else if (source.tenant().size() > kMaxTenantBytes) {
    errors.Required("tenant", "must be a UUID and may not exceed a length of 64 characters");
  } else {
    std::string_view rest = source.registry();
    while (true) {
      const size_t comma = rest.find(',');
      if (!IsHostAndPort(rest.substr(0, comma)))
        errors.Invalid("registry", source.registry(), kWhy);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  ValidateRequired(source.volume(), "volume", errors);
}

void DownwardApi(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateFileMode(of_pod.volume.downward_api().default_mode(), "defaultMode", errors);
  // Faults of a file are said to be the volume's.
  for (const core::DownwardAPIVolumeFile file : of_pod.volume.downward_api().items()) {
    ValidateDownwardFile(file, errors);
  }
}

void Fc(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::FCVolumeSource source = of_pod.volume.fc();
  const bool has_names = !source.target_wwns().empty();
  if (!has_names && source.wwids().empty()) {
    errors.Required("targetWWNs", "must specify either targetWWNs or wwids, but not both");
  }
  if (has_names && !source.wwids().empty()) {
    errors.Invalid("targetWWNs", source.AsValue()->Member(core::FCVolumeSource::kTargetWWNs),
                   "targetWWNs and wwids can not be specified simultaneously");
  }
  if (!has_names) return;
  if (!source.lun()) {
    errors.Required("lun", "lun is required if targetWWNs is specified");
  } else {
    ValidateInRange(*source.lun(), 0, kMaxLun, "lun", errors);
  }
}

bool IsReservedOption(std::string_view key) {
  std::string domain = ".";
  for (const char c : key.substr(0, key.find('/'))) {
    domain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io");
}

void FlexVolume(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.flex_volume().driver(), "driver", errors);
  for (const auto& [key, value] : of_pod.volume.flex_volume().options()) {
    if (!IsReservedOption(key)) continue;
    const auto at = errors.AtKey("options", key);
    errors.Invalid("", key, "kubernetes.io and k8s.io namespaces are reserved");
  }
}

void AzureFile(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.azure_file().secret_name(), "secretName", errors);
  ValidateRequired(of_pod.volume.azure_file().share_name(), "shareName", errors);
}

void VsphereVolume(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.vsphere_volume().volume_path(), "volumePath", errors);
}

void PhotonPersistentDisk(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.photon_persistent_disk().pd_id(), "pdID", errors);
}

void PortworxVolume(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.portworx_volume().volume_id(), "volumeID", errors);
}

void AzureDisk(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::AzureDiskVolumeSource source = of_pod.volume.azure_disk();
  ValidateRequired(source.disk_name(), "diskName", errors);
  ValidateRequired(source.disk_uri(), "diskURI", errors);
  if (const auto mode = source.caching_mode()) {
    ValidateOneOf(*mode, {"None", "ReadOnly", "ReadWrite"}, "cachingMode", errors);
  }
  const std::optional<std::string_view> kind = source.kind();
  if (!kind) return;
  ValidateOneOf(*kind, {"Dedicated", "Managed", "Shared"}, "kind", errors);
  if (*kind == "Managed") {
    if (!source.disk_uri().starts_with("/subscriptions/")) {
      errors.NotSupported("diskURI", source.disk_uri(),
                          {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/"
                           "microsoft.compute/disks/{disk-id}"});
    }
  } else if (!source.disk_uri().starts_with("https://")) {
    errors.NotSupported(
        "diskURI", source.disk_uri(),
        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

void StorageOs(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::StorageOSVolumeSource source = of_pod.volume.storageos();
  ValidateRequiredFormat(kDnsLabelFormat, source.volume_name(), "volumeName", errors);
  if (!source.volume_namespace().empty()) {
    ValidateFormat(kDnsLabelFormat, source.volume_namespace(), "volumeNamespace", errors);
  }
  if (source.has_secret_ref())
    ValidateRequired(source.secret_ref().name(), "secretRef.name", errors);
}

void Projected(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateProjectedVolume(of_pod.volume.projected(), of_pod.options, errors);
}

void ScaleIo(const VolumeOfPod& of_pod, FieldErrors& errors) {
  ValidateRequired(of_pod.volume.scale_io().gateway(), "gateway", errors);
  ValidateRequired(of_pod.volume.scale_io().system(), "system", errors);
  ValidateRequired(of_pod.volume.scale_io().volume_name(), "volumeName", errors);
}

void Csi(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::CSIVolumeSource source = of_pod.volume.csi();
  ValidateCsiDriverName(source.driver(), "driver", errors);
  if (!source.has_node_publish_secret_ref()) return;
  const std::string_view name = source.node_publish_secret_ref().name();
  if (name.empty()) return errors.Required("nodePublishSecretRef.name");
  ValidateFormat(kDnsSubdomainFormat, name, "name", errors);
}

void Ephemeral(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::EphemeralVolumeSource source = of_pod.volume.ephemeral();
  if (!source.has_volume_claim_template()) return errors.Required("volumeClaimTemplate");
  const auto at = errors.At("volumeClaimTemplate");
  ValidateClaimTemplate(source.volume_claim_template(), errors);
}

void Image(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const core::ImageVolumeSource source = of_pod.volume.image();
  if (of_pod.options.is_pod) ValidateRequired(source.reference(), "reference", errors);
  ValidatePullPolicy(source.pull_policy(), "pullPolicy", errors);
}

// Some names are not what the fields are called; Kubernetes says them so.
constexpr VolumeKind kKinds[] = {
    {core::Volume::kEmptyDir, "emptyDir", "emptyDir", EmptyDir},
    {core::Volume::kHostPath, "hostPath", "hostPath", HostPath},
    {core::Volume::kGitRepo, "gitRepo", "gitRepo", GitRepo},
    {core::Volume::kGcePersistentDisk, "persistentDisk", "gcePersistentDisk", GcePersistentDisk},
    {core::Volume::kAwsElasticBlockStore, "awsElasticBlockStore", "awsElasticBlockStore",
     AwsElasticBlockStore},
    {core::Volume::kSecret, "secret", "secret", Secret},
    {core::Volume::kNfs, "nfs", "nfs", Nfs},
    {core::Volume::kIscsi, "iscsi", "iscsi", Iscsi},
    {core::Volume::kGlusterfs, "glusterfs", "glusterfs", Glusterfs},
    {core::Volume::kFlocker, "flocker", "flocker", Flocker},
    {core::Volume::kPersistentVolumeClaim, "persistentVolumeClaim", "persistentVolumeClaim",
     PersistentVolumeClaim},
    {core::Volume::kRbd, "rbd", "rbd", Rbd},
    {core::Volume::kCinder, "cinder", "cinder", Cinder},
    {core::Volume::kCephfs, "cephfs", "cephFS", Cephfs},
    {core::Volume::kQuobyte, "quobyte", "quobyte", Quobyte},
    {core::Volume::kDownwardAPI, "downwardAPI", "downwarAPI", DownwardApi},
    {core::Volume::kFc, "fc", "fc", Fc},
    {core::Volume::kFlexVolume, "flexVolume", "flexVolume", FlexVolume},
    {core::Volume::kConfigMap, "configMap", "configMap", ConfigMap},
    {core::Volume::kAzureFile, "azureFile", "azureFile", AzureFile},
    {core::Volume::kVsphereVolume, "vsphereVolume", "vsphereVolume", VsphereVolume},
    {core::Volume::kPhotonPersistentDisk, "photonPersistentDisk", "photonPersistentDisk",
     PhotonPersistentDisk},
    {core::Volume::kPortworxVolume, "portworxVolume", "portworxVolume", PortworxVolume},
    {core::Volume::kAzureDisk, "azureDisk", "azureDisk", AzureDisk},
    {core::Volume::kStorageos, "storageos", "storageos", StorageOs},
    {core::Volume::kProjected, "projected", "projected", Projected},
    {core::Volume::kScaleIO, "scaleIO", "scaleIO", ScaleIo},
    {core::Volume::kCsi, "csi", "csi", Csi},
    {core::Volume::kEphemeral, "ephemeral", "ephemeral", Ephemeral},
    {core::Volume::kImage, "image", "image", Image},
};

}  // namespace

std::span<const VolumeKind> VolumeKinds() { return kKinds; }

bool IsIscsiName(std::string_view name) {
  constexpr size_t kEuiLength = 16;
  constexpr size_t kNaaLength = 32;
  if (name.starts_with("iqn")) return IsIqn(name);
  if (name.starts_with("eui")) return IsIdentifier(name, kEuiLength);
  return name.starts_with("naa") && IsIdentifier(name, kNaaLength);
}

}  // namespace skiff::apiserver
