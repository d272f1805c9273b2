// Volumes of pods, of every kind.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/pod_options.h"
#include "apiserver/validation/volume_mounts.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff {

// volumes of the spec where `errors` is. `pod_name` is empty when it is not known yet, as in a
// template. The volumes without a fault are added to `valid`.
void ValidateVolumes(const ListView<views::core_v1::Volume>& volumes, std::string_view pod_name,
                     const PodOptions& options, ValidVolumes& valid, FieldErrors& errors);

// The following look at the place where `errors` is, or a field of it.
void ValidateProjectedVolume(const views::core_v1::ProjectedVolumeSource& source,
                             const PodOptions& options, FieldErrors& errors);
void ValidateKeyToPath(const views::core_v1::KeyToPath& item, FieldErrors& errors);
void ValidateDownwardFile(const views::core_v1::DownwardAPIVolumeFile& file, FieldErrors& errors);
// Mode bits of files: 0 to 0777.
void ValidateFileMode(std::optional<int32_t> mode, std::string_view field, FieldErrors& errors);
void ValidatePullPolicy(std::string_view policy, std::string_view field, FieldErrors& errors);
// Names of CSI drivers.
void ValidateCsiDriverName(std::string_view name, std::string_view field, FieldErrors& errors);
// iSCSI Qualified Name, EUI or NAA identifiers: iqn.2001-04.com.example:disk1.
bool IsIscsiName(std::string_view name);
// example.com/signer-name
void ValidateSignerName(std::string_view name, std::string_view field, FieldErrors& errors);

// The source of a volume that is of one kind alone: volume_sources.cc. At the source.
struct VolumeOfPod {
  const views::core_v1::Volume& volume;
  std::string_view pod_name;
  const PodOptions& options;
};
using ValidateSource = void (*)(const VolumeOfPod& volume, FieldErrors& errors);
struct VolumeKind {
  views::core_v1::Volume::Field field;
  std::string_view place;         // where its faults are said to be
  std::string_view name_of_more;  // what it is called when it is one too many
  ValidateSource validate;
};
// In the order in which they are looked at.
std::span<const VolumeKind> VolumeKinds();

}  // namespace skiff
