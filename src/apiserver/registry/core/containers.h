// Containers of a pod: its own, those that initialize it, sidecars, and ephemeral ones.
#pragma once

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/registry/core/volume_mounts.h"
#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/seen_names.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// What the rules of a container need to know of its pod.
struct PodOfContainer {
  const views::core_v1::PodSpec& spec;
  const ValidVolumes& volumes;
  const SeenNames& claims;
  const PodOptions& options;
};

// Each looks at its list of containers of the spec where `errors` is.
void ValidateContainers(const PodOfContainer& pod, FieldErrors& errors);
void ValidateInitContainers(const PodOfContainer& pod, FieldErrors& errors);
void ValidateEphemeralContainers(const PodOfContainer& pod, FieldErrors& errors);

// Of a container of a pod, and not of a template: its image has no spaces around it.
void ValidateImageText(const views::core_v1::Container& container, FieldErrors& errors);

}  // namespace skiff::apiserver
