#include "controllers/pod_secrets.h"

#include <string_view>

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

void AddName(std::string_view name, std::set<std::string>& names) {
  if (!name.empty()) names.emplace(name);
}

template <typename AnyKindOfContainer>
void AddOfContainer(const AnyKindOfContainer& container, std::set<std::string>& names) {
  for (const core::EnvFromSource source : container.env_from()) {
    AddName(source.secret_ref().name(), names);
  }
  for (const core::EnvVar variable : container.env()) {
    AddName(variable.value_from().secret_key_ref().name(), names);
  }
}

void AddOfVolume(const core::Volume& volume, std::set<std::string>& names) {
  AddName(volume.secret().secret_name(), names);
  AddName(volume.azure_file().secret_name(), names);
  AddName(volume.cephfs().secret_ref().name(), names);
  AddName(volume.cinder().secret_ref().name(), names);
  AddName(volume.flex_volume().secret_ref().name(), names);
  AddName(volume.rbd().secret_ref().name(), names);
  AddName(volume.scale_io().secret_ref().name(), names);
  AddName(volume.iscsi().secret_ref().name(), names);
  AddName(volume.storageos().secret_ref().name(), names);
  AddName(volume.csi().node_publish_secret_ref().name(), names);
  for (const core::VolumeProjection source : volume.projected().sources()) {
    AddName(source.secret().name(), names);
  }
}

}  // namespace

void AddSecretsOf(const core::Pod& pod, std::set<std::string>& names) {
  const core::PodSpec spec = pod.spec();
  for (const core::LocalObjectReference each : spec.image_pull_secrets()) {
    AddName(each.name(), names);
  }
  for (const core::Container each : spec.init_containers()) AddOfContainer(each, names);
  for (const core::Container each : spec.containers()) AddOfContainer(each, names);
  for (const core::EphemeralContainer each : spec.ephemeral_containers()) {
    AddOfContainer(each, names);
  }
  for (const core::Volume volume : spec.volumes()) AddOfVolume(volume, names);
}

}  // namespace skiff::controllers
