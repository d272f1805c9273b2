#include "apiserver/registry/core/persistent_volume_source.h"

#include <algorithm>
#include <string>

#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/volume_sources.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::string_view SourceText(const object::Value& source, std::string_view field) {
  const object::Value* value = source.Find(field);
  return value != nullptr ? value->AsText() : std::string_view();
}

int64_t NumberOf(const object::Value& source, std::string_view field) {
  const object::Value* value = source.Find(field);
  return value != nullptr ? value->AsInt() : 0;
}

size_t CountOf(const object::Value& source, std::string_view field) {
  const object::Value* value = source.Find(field);
  return value != nullptr ? value->size() : 0;
}

void RequireTexts(const object::Value& source, std::initializer_list<std::string_view> fields,
                  FieldErrors& errors) {
  for (const std::string_view field : fields) {
    ValidateRequired(SourceText(source, field), field, errors);
  }
}

void ValidateHostPath(const object::Value& source, std::string_view, FieldErrors& errors) {
  const std::string_view path = SourceText(source, "path");
  if (path.empty()) return errors.Required("path");
  ValidateNoBacksteps(path, "path", errors);
  if (source.Find("type") == nullptr) return;
  ValidateOneOf(SourceText(source, "type"),
                {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                 "FileOrCreate", "Socket"},
                "type", errors);
}

void ValidateDisk(const object::Value& source, std::string_view name_field, FieldErrors& errors) {
  ValidateRequired(SourceText(source, name_field), name_field, errors);
  const int64_t partition = NumberOf(source, "partition");
  if (partition < 0 || partition > 255) {
    errors.Invalid("partition", partition, "must be between 1 and 255, inclusive");
  }
}

void ValidateGceDisk(const object::Value& source, std::string_view, FieldErrors& errors) {
  ValidateDisk(source, "pdName", errors);
}

void ValidateAwsDisk(const object::Value& source, std::string_view, FieldErrors& errors) {
  ValidateDisk(source, "volumeID", errors);
}

void ValidateGlusterfs(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"endpoints", "path"}, errors);
  if (source.Find("endpointsNamespace") == nullptr) return;
  ValidateFormat(kDnsLabelFormat, SourceText(source, "endpointsNamespace"), "endpointsNamespace",
                 errors);
}

void ValidateFlocker(const object::Value& source, std::string_view, FieldErrors& errors) {
  const std::string_view name = SourceText(source, "datasetName");
  const std::string_view uuid = SourceText(source, "datasetUUID");
  if (name.empty() && uuid.empty()) {
    errors.Required("", "one of datasetName and datasetUUID is required");
  }
  if (!name.empty() && !uuid.empty()) {
    errors.Invalid("", "resource",
                   "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (name.find('/') != std::string_view::npos) {
    errors.Invalid("datasetName", name, "must not contain '/'");
  }
}

void ValidateNfs(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"server", "path"}, errors);
  const std::string_view path = SourceText(source, "path");
  if (!path.starts_with('/')) errors.Invalid("path", path, "must be an absolute path");
}

void ValidateRbd(const object::Value& source, std::string_view, FieldErrors& errors) {
  if (CountOf(source, "monitors") == 0) errors.Required("monitors");
  RequireTexts(source, {"image"}, errors);
}

// As Go's SplitHostPort takes it: one colon, or brackets around a host that has more.
bool IsHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) return host.ends_with(']');
  return host.find(':') == std::string_view::npos;
}

void ValidateQuobyte(const object::Value& source, std::string_view, FieldErrors& errors) {
  constexpr std::string_view kPairs =
      "must be a host:port pair or multiple pairs separated by commas";
  constexpr size_t kMaxTenantBytes = 64;
  std::string_view registry = SourceText(source, "registry");
  if (registry.empty()) {
    errors.Required("registry", kPairs);
  } else if (SourceText(source, "tenant").size() > kMaxTenantBytes) {
    errors.Required("tenant", "must be a UUID and may not exceed a length of 64 characters");
  } else {
    const std::string_view all = registry;
    for (bool more = true; more;) {
      const size_t end = registry.find(',');
      if (!IsHostAndPort(registry.substr(0, end))) errors.Invalid("registry", all, kPairs);
      more = end != std::string_view::npos;
      if (more) registry.remove_prefix(end + 1);
    }
  }
  RequireTexts(source, {"volume"}, errors);
}

void ValidateCephfs(const object::Value& source, std::string_view, FieldErrors& errors) {
  if (CountOf(source, "monitors") == 0) errors.Required("monitors");
}

void ValidateIscsi(const object::Value& source, std::string_view volume_name, FieldErrors& errors) {
  constexpr size_t kMaxInterfaceBytes = 64;
  const core::ISCSIPersistentVolumeSource iscsi(&source);
  ValidateRequired(iscsi.target_portal(), "targetPortal", errors);
  const std::optional<std::string_view> initiator = iscsi.initiator_name();
  if (initiator && volume_name.size() + 1 + iscsi.target_portal().size() > kMaxInterfaceBytes) {
    errors.Invalid("targetportal", iscsi.target_portal(),
                   "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
                   "if iscsi.initiatorName is specified.");
  }
  if (iscsi.iqn().empty()) {
    errors.Required("iqn");
  } else if (!IsIscsiName(iscsi.iqn())) {
    errors.Invalid("iqn", iscsi.iqn(), "must be valid format");
  }
  ValidateInRange(iscsi.lun(), 0, 255, "lun", errors);
  if ((iscsi.chap_auth_discovery() || iscsi.chap_auth_session()) && !iscsi.has_secret_ref()) {
    errors.Required("secretRef");
  }
  if (iscsi.has_secret_ref()) {
    ValidateRequired(iscsi.secret_ref().name(), "secretRef.name", errors);
  }
  if (initiator && !IsIscsiName(*initiator)) {
    errors.Invalid("initiatorname", *initiator, "must be valid format");
  }
}

// The secret must be named in full.
void ValidateSecretRef(const object::Value& source, FieldErrors& errors) {
  const object::Value* secret = source.Find("secretRef");
  if (secret == nullptr) return;
  const auto at = errors.At("secretRef");
  RequireTexts(*secret, {"name", "namespace"}, errors);
}

void ValidateCinder(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"volumeID"}, errors);
  ValidateSecretRef(source, errors);
}

void ValidateFc(const object::Value& source, std::string_view, FieldErrors& errors) {
  const bool by_target = CountOf(source, "targetWWNs") != 0;
  const bool by_id = CountOf(source, "wwids") != 0;
  if (!by_target && !by_id) {
    errors.Required("targetWWNs", "must specify either targetWWNs or wwids, but not both");
  }
  if (by_target && by_id) {
    errors.Invalid("targetWWNs", ShownValue(source.Find("targetWWNs")),
                   "targetWWNs and wwids can not be specified simultaneously");
  }
  if (!by_target) return;
  if (source.Find("lun") == nullptr) {
    errors.Required("lun", "lun is required if targetWWNs is specified");
  } else {
    ValidateInRange(NumberOf(source, "lun"), 0, 255, "lun", errors);
  }
}

void ValidateFlex(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"driver"}, errors);
  for (const auto& [key, value] : core::FlexPersistentVolumeSource(&source).options()) {
    const std::string space = "." + AsciiLower(key.substr(0, key.find('/')));
    if (!space.ends_with(".kubernetes.io") && !space.ends_with(".k8s.io")) continue;
    const auto at = errors.AtKey("options", key);
    errors.Invalid("", key, "kubernetes.io and k8s.io namespaces are reserved");
  }
}

void ValidateAzureFile(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"secretName", "shareName"}, errors);
  if (source.Find("secretNamespace") != nullptr) {
    RequireTexts(source, {"secretNamespace"}, errors);
  }
}

void ValidateVsphere(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"volumePath"}, errors);
}

void ValidatePhoton(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"pdID"}, errors);
}

void ValidatePortworx(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"volumeID"}, errors);
}

void ValidateAzureDisk(const object::Value& source, std::string_view, FieldErrors& errors) {
  const core::AzureDiskVolumeSource disk(&source);
  RequireTexts(source, {"diskName", "diskURI"}, errors);
  if (disk.caching_mode()) {
    ValidateOneOf(*disk.caching_mode(), {"None", "ReadOnly", "ReadWrite"}, "cachingMode", errors);
  }
  if (!disk.kind()) return;
  ValidateOneOf(*disk.kind(), {"Dedicated", "Managed", "Shared"}, "kind", errors);
  const bool managed = *disk.kind() == "Managed";
  if (managed && !disk.disk_uri().starts_with("/subscriptions/")) {
    errors.NotSupported("diskURI", disk.disk_uri(),
                        {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/"
                         "microsoft.compute/disks/{disk-id}"});
  } else if (!managed && !disk.disk_uri().starts_with("https://")) {
    errors.NotSupported(
        "diskURI", disk.disk_uri(),
        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

void ValidateScaleIo(const object::Value& source, std::string_view, FieldErrors& errors) {
  RequireTexts(source, {"gateway", "system", "volumeName"}, errors);
}

void ValidateLocal(const object::Value& source, std::string_view, FieldErrors& errors) {
  const std::string_view path = SourceText(source, "path");
  if (path.empty()) return errors.Required("path");
  ValidateNoBacksteps(path, "path", errors);
}

void ValidateStorageOs(const object::Value& source, std::string_view, FieldErrors& errors) {
  ValidateRequiredFormat(kDnsLabelFormat, SourceText(source, "volumeName"), "volumeName", errors);
  const std::string_view space = SourceText(source, "volumeNamespace");
  if (!space.empty()) ValidateFormat(kDnsLabelFormat, space, "volumeNamespace", errors);
  ValidateSecretRef(source, errors);
}

void ValidateCsi(const object::Value& source, std::string_view, FieldErrors& errors) {
  ValidateCsiDriverName(SourceText(source, "driver"), "driver", errors);
  RequireTexts(source, {"volumeHandle"}, errors);
  for (const std::string_view field : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                       "nodePublishSecretRef", "nodeExpandSecretRef"}) {
    const object::Value* secret = source.Find(field);
    if (secret == nullptr) continue;
    const auto at = errors.At(field);
    ValidateRequiredFormat(kDnsSubdomainFormat, SourceText(*secret, "name"), "name", errors);
    ValidateRequiredFormat(kDnsLabelFormat, SourceText(*secret, "namespace"), "namespace", errors);
  }
}

struct SourceKind {
  std::string_view field;
  std::string_view place;         // where its faults are said to be
  std::string_view name_of_more;  // what it is called when it is one too many
  void (*validate)(const object::Value& source, std::string_view volume_name, FieldErrors& errors);
};

// In the order in which they are looked at.
constexpr SourceKind kSources[] = {
    {"hostPath", "hostPath", "hostPath", ValidateHostPath},
    {"gcePersistentDisk", "persistentDisk", "gcePersistentDisk", ValidateGceDisk},
    {"awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore", ValidateAwsDisk},
    {"glusterfs", "glusterfs", "glusterfs", ValidateGlusterfs},
    {"flocker", "flocker", "flocker", ValidateFlocker},
    {"nfs", "nfs", "nfs", ValidateNfs},
    {"rbd", "rbd", "rbd", ValidateRbd},
    {"quobyte", "quobyte", "quobyte", ValidateQuobyte},
    {"cephfs", "cephfs", "cephFS", ValidateCephfs},
    {"iscsi", "iscsi", "iscsi", ValidateIscsi},
    {"cinder", "cinder", "cinder", ValidateCinder},
    {"fc", "fc", "fc", ValidateFc},
    {"flexVolume", "flexVolume", "", ValidateFlex},
    {"azureFile", "azureFile", "azureFile", ValidateAzureFile},
    {"vsphereVolume", "vsphereVolume", "vsphereVolume", ValidateVsphere},
    {"photonPersistentDisk", "photonPersistentDisk", "photonPersistentDisk", ValidatePhoton},
    {"portworxVolume", "portworxVolume", "portworxVolume", ValidatePortworx},
    {"azureDisk", "azureDisk", "azureDisk", ValidateAzureDisk},
    {"scaleIO", "scaleIO", "scaleIO", ValidateScaleIo},
    {"local", "local", "local", ValidateLocal},
    {"storageos", "storageos", "storageos", ValidateStorageOs},
    {"csi", "csi", "csi", ValidateCsi},
};

const object::Value* SourceOf(const core::PersistentVolumeSpec& spec, std::string_view field) {
  return MemberOf(spec, field);
}

bool SameCsi(const object::Value& now, const object::Value& old) {
  constexpr std::string_view kExpandSecret = "controllerExpandSecretRef";
  if (object::DeepEqual(now, old)) return true;
  if (old.Find(kExpandSecret) != nullptr || now.Find(kExpandSecret) == nullptr) return false;
  Arena arena;
  object::Value without = now.CopyInto(arena);
  without.Erase(kExpandSecret);
  return object::DeepEqual(without, old);
}

}  // namespace

bool ValidateVolumeSource(const core::PersistentVolumeSpec& spec, std::string_view volume_name,
                          FieldErrors& errors) {
  bool found = false;
  for (const SourceKind& kind : kSources) {
    const object::Value* source = SourceOf(spec, kind.field);
    if (source == nullptr) continue;
    if (found && !kind.name_of_more.empty()) {
      errors.Forbidden(kind.name_of_more, "may not specify more than 1 volume type");
      continue;
    }
    found = true;
    const auto at = errors.At(kind.place);
    kind.validate(*source, volume_name, errors);
  }
  return found;
}

bool SameVolumeSource(const core::PersistentVolumeSpec& spec,
                      const core::PersistentVolumeSpec& old) {
  return std::ranges::all_of(kSources, [&](const SourceKind& kind) {
    const object::Value* now = SourceOf(spec, kind.field);
    const object::Value* before = SourceOf(old, kind.field);
    if (now == nullptr || before == nullptr) return now == before;
    return kind.field == "csi" ? SameCsi(*now, *before) : object::DeepEqual(*now, *before);
  });
}

}  // namespace skiff::apiserver
