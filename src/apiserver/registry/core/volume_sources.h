// The kinds of volumes of pods, and the rules of each that needs no file of its own.
#pragma once

#include <span>
#include <string_view>

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// iSCSI Qualified Name, EUI or NAA identifiers: iqn.2001-04.com.example:disk1.
bool IsIscsiName(std::string_view name);

// The source of a volume that is of one kind alone. At the source.
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

}  // namespace skiff::apiserver
