#include "apiserver/registry/core/volumes.h"

#include <string>

#include "apiserver/registry/core/env.h"
#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/volume_sources.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kDownwardFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",
    "metadata.namespace",   "metadata.uid",
};

void ValidateKind(const VolumeKind& kind, const VolumeOfPod& volume, FieldErrors& errors) {
  const auto at = errors.At(kind.place);
  kind.validate(volume, errors);
}

// The claim that is made for an ephemeral volume is named after the pod and the volume.
void ValidateClaimName(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const std::string_view name = of_pod.volume.name();
  if (of_pod.pod_name.empty() || name.empty()) return;
  const std::string claim = std::string(of_pod.pod_name) + "-" + std::string(name);
  for (const std::string& problem : object::CheckDns1123Subdomain(claim)) {
    errors.Invalid("name", name, "PVC name \"" + claim + "\": " + problem);
  }
}

void ValidateIscsiNameLength(const core::Volume& volume, FieldErrors& errors) {
  constexpr size_t kMaxBytes = 64;
  if (!volume.iscsi().initiator_name()) return;
  if (volume.name().size() + 1 + volume.iscsi().target_portal().size() <= kMaxBytes) return;
  errors.Invalid(
      "name", volume.name(),
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
      "iscsi.initiatorName is specified.");
}

// Exactly one source is wanted. The first counts; what follows is one too many.
void ValidateSources(const VolumeOfPod& of_pod, FieldErrors& errors) {
  const object::Value& value = *of_pod.volume.AsValue();
  size_t sources = 0;
  for (const object::Value& member : value.members())
    sources += member.field() != core::Volume::kName;
  if (sources == 0) return errors.Required("", "must specify a volume type");
  bool found = false;
  for (const VolumeKind& kind : VolumeKinds()) {
    if (value.Member(kind.field) == nullptr) continue;
    if (found) {
      errors.Forbidden(kind.name_of_more, "may not specify more than 1 volume type");
    } else {
      ValidateKind(kind, of_pod, errors);
      if (kind.field == core::Volume::kEphemeral) ValidateClaimName(of_pod, errors);
    }
    if (kind.field == core::Volume::kIscsi) ValidateIscsiNameLength(of_pod.volume, errors);
    found = true;
    if (sources == 1) return;
  }
}

}  // namespace

void ValidateVolumes(const object::ListView<core::Volume>& volumes, std::string_view pod_name,
                     const PodOptions& options, ValidVolumes& valid, FieldErrors& errors) {
  SeenNames names;
  SeenNames ephemeral;
  bool any_ephemeral = false;
  for (const core::Volume volume : volumes) {
    if (pod_name.empty() || !volume.has_ephemeral()) continue;
    any_ephemeral = true;
    ephemeral.Add(volume.name());
  }
  for (size_t i = 0; i < volumes.size(); ++i) {
    const core::Volume volume = volumes[i];
    const auto at = errors.At("volumes", i);
    const size_t before = errors.size();
    ValidateSources({volume, pod_name, options}, errors);
    ValidateRequiredFormat(kDnsLabelFormat, volume.name(), "name", errors);
    if (names.Has(volume.name())) errors.Duplicate("name", volume.name());
    if (errors.size() == before) {
      names.Add(volume.name());
      valid.Add(volume);
    }
    if (!any_ephemeral || !volume.has_persistent_volume_claim()) continue;
    const std::string_view claim = volume.persistent_volume_claim().claim_name();
    if (claim.size() > pod_name.size() && claim.starts_with(pod_name) &&
        claim[pod_name.size()] == '-' && ephemeral.Has(claim.substr(pod_name.size() + 1))) {
      errors.Invalid("persistentVolumeClaim.claimName", claim,
                     "must not reference a PVC that gets created for an ephemeral volume");
    }
  }
  valid.Finish();
}

void ValidateFileMode(std::optional<int32_t> mode, std::string_view field, FieldErrors& errors) {
  constexpr int32_t kMaxMode = 0777;
  if (!mode || (*mode >= 0 && *mode <= kMaxMode)) return;
  errors.Invalid(field, *mode, "must be a number between 0 and 0777 (octal), both inclusive");
}

void ValidateKeyToPath(const core::KeyToPath& item, FieldErrors& errors) {
  ValidateRequired(item.key(), "key", errors);
  ValidateRequired(item.path(), "path", errors);
  ValidateUnreservedPath(item.path(), "path", errors);
  ValidateFileMode(item.mode(), "mode", errors);
}

void ValidateDownwardFile(const core::DownwardAPIVolumeFile& file, FieldErrors& errors) {
  ValidateRequired(file.path(), "path", errors);
  ValidateUnreservedPath(file.path(), "path", errors);
  if (file.has_field_ref()) {
    {
      const auto at = errors.At("fieldRef");
      ValidateFieldSelector(file.field_ref(), kDownwardFields, errors);
    }
    if (file.has_resource_field_ref()) {
      errors.Invalid("", "resource",
                     "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (file.has_resource_field_ref()) {
    const auto at = errors.At("resourceFieldRef");
    ValidateResourceSelector(file.resource_field_ref(), true, errors);
  } else {
    errors.Required("", "one of fieldRef and resourceFieldRef is required");
  }
  ValidateFileMode(file.mode(), "mode", errors);
}

void ValidatePullPolicy(std::string_view policy, std::string_view field, FieldErrors& errors) {
  if (policy.empty()) return errors.Required(field);
  ValidateOneOf(policy, {"Always", "IfNotPresent", "Never"}, field, errors);
}

void ValidateCsiDriverName(std::string_view name, std::string_view field, FieldErrors& errors) {
  constexpr size_t kMaxBytes = 63;
  constexpr NameFormat kFormat{object::IsDns1123SubdomainCaseless,
                               object::CheckDns1123SubdomainCaseless};
  if (name.empty()) return errors.Required(field);
  if (name.size() > kMaxBytes) errors.TooLong(field, kMaxBytes);
  ValidateFormat(kFormat, name, field, errors);
}

}  // namespace skiff::apiserver
