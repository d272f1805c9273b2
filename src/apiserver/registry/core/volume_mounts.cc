#include "apiserver/registry/core/volume_mounts.h"

#include <algorithm>

#include "apiserver/registry/core/local_path.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {

namespace core = views::core_v1;

void ValidVolumes::Finish() {
  constexpr size_t kFew = 16;
  if (volumes_.size() <= kFew) return;
  std::ranges::sort(volumes_, {}, &core::Volume::name);
  sorted_ = true;
}

core::Volume ValidVolumes::Find(std::string_view name) const {
  const auto found = sorted_ ? std::ranges::lower_bound(volumes_, name, {}, &core::Volume::name)
                             : std::ranges::find(volumes_, name, &core::Volume::name);
  return found != volumes_.end() && found->name() == name ? *found : core::Volume();
}

namespace {

void ValidatePropagation(const core::VolumeMount& mount, const core::Container& container,
                         FieldErrors& errors) {
  const std::optional<std::string_view> propagation = mount.mount_propagation();
  if (!propagation) return;
  ValidateOneOf(*propagation, {"Bidirectional", "HostToContainer", "None"},
                "volumeMounts.mountPropagation", errors);
  if (*propagation == "Bidirectional" &&
      !container.security_context().privileged().value_or(false)) {
    errors.Forbidden("volumeMounts.mountPropagation",
                     "Bidirectional mount propagation is available only to privileged containers");
  }
}

void ValidateRecursiveReadOnly(const core::VolumeMount& mount, FieldErrors& errors) {
  constexpr std::string_view kField = "volumeMounts.recursiveReadOnly";
  const std::optional<std::string_view> mode = mount.recursive_read_only();
  if (!mode || *mode == "Disabled") return;
  if (*mode != "Enabled" && *mode != "IfPossible") {
    return errors.NotSupported(kField, *mode, {"Disabled", "Enabled", "IfPossible"});
  }
  if (!mount.read_only()) {
    errors.Forbidden(kField, "may only be specified when readOnly is true");
  }
  if (mount.mount_propagation().value_or("None") != "None") {
    errors.Forbidden(kField,
                     "may only be specified when mountPropagation is None or not specified");
  }
}

void ValidateSubPaths(const core::VolumeMount& mount, size_t index, FieldErrors& errors) {
  if (!mount.sub_path().empty()) {
    ValidateDescendingPath(mount.sub_path(), "volumeMounts.subPath", errors);
  }
  if (mount.sub_path_expr().empty()) return;
  if (!mount.sub_path().empty()) {
    const auto at = errors.At("volumeMounts", index);
    errors.Invalid("subPathExpr", mount.sub_path_expr(),
                   "subPathExpr and subPath are mutually exclusive");
  }
  ValidateDescendingPath(mount.sub_path_expr(), "volumeMounts.subPathExpr", errors);
}

}  // namespace

void ValidateVolumeMounts(const core::Container& container, const ValidVolumes& volumes,
                          FieldErrors& errors) {
  const auto mounts = container.volume_mounts();
  const auto devices = container.volume_devices();
  SeenNames device_names;
  SeenNames device_paths;
  for (const core::VolumeDevice device : devices) {
    device_names.Add(device.name());
    device_paths.Add(device.device_path());
  }
  SeenNames paths;
  for (size_t i = 0; i < mounts.size(); ++i) {
    const core::VolumeMount mount = mounts[i];
    {
      const auto at = errors.At("volumeMounts", i);
      ValidateRequired(mount.name(), "name", errors);
      if (volumes.Find(mount.name()).AsValue() == nullptr) errors.NotFound("name", mount.name());
      ValidateRequired(mount.mount_path(), "mountPath", errors);
      if (!paths.Add(mount.mount_path())) {
        errors.Invalid("mountPath", mount.mount_path(), "must be unique");
      }
      if (!devices.empty() && device_names.Has(mount.name())) {
        errors.Invalid("name", mount.name(), "must not already exist in volumeDevices");
      }
      if (!devices.empty() && device_paths.Has(mount.mount_path())) {
        errors.Invalid("mountPath", mount.mount_path(),
                       "must not already exist as a path in volumeDevices");
      }
    }
    ValidateSubPaths(mount, i, errors);
    ValidatePropagation(mount, container, errors);
    ValidateRecursiveReadOnly(mount, errors);
  }
}

void ValidateVolumeDevices(const core::Container& container, const ValidVolumes& volumes,
                           FieldErrors& errors) {
  const auto devices = container.volume_devices();
  if (devices.empty()) return;
  SeenNames mount_names;
  SeenNames mount_paths;
  for (const core::VolumeMount mount : container.volume_mounts()) {
    mount_names.Add(mount.name());
    mount_paths.Add(mount.mount_path());
  }
  SeenNames names;
  SeenNames paths;
  for (size_t i = 0; i < devices.size(); ++i) {
    const auto at = errors.At("volumeDevices", i);
    const std::string_view name = devices[i].name();
    const std::string_view path = devices[i].device_path();
    const core::Volume volume = volumes.Find(name);
    ValidateRequired(name, "name", errors);
    if (names.Has(name)) errors.Invalid("name", name, "must be unique");
    if (volume.AsValue() == nullptr) {
      errors.NotFound("name", name);
    } else if (!volume.has_persistent_volume_claim() && !volume.has_ephemeral()) {
      errors.Invalid("name", name,
                     "can only use volume source type of PersistentVolumeClaim or Ephemeral for "
                     "block mode");
    }
    ValidateRequired(path, "devicePath", errors);
    if (paths.Has(path)) errors.Invalid("devicePath", path, "must be unique");
    if (HasNoBacksteps(path)) {
      paths.Add(path);
    } else {
      errors.Invalid("devicePath", path, "can not contain backsteps ('..')");
    }
    if (mount_names.Has(name)) {
      errors.Invalid("name", name, "must not already exist in volumeMounts");
    }
    if (mount_paths.Has(path)) {
      errors.Invalid("devicePath", path, "must not already exist as a path in volumeMounts");
    }
    if (!name.empty()) names.Add(name);
  }
}

}  // namespace skiff::apiserver
