#include "apiserver/registry/core/persistent_volume_behaviour.h"

#include <optional>

#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

void CreateVolume(const WriteContext& write, object::Document& object) {
  core::MutablePersistentVolume volume(object);
  volume.clear_status();
  volume.mutable_status().set_phase("Pending");
  volume.mutable_status().set_last_phase_transition_time(write.now);
}

void UpdateVolume(const WriteContext& write, const object::Document& old,
                  object::Document& object) {
  if (write.subresource != "status") return;
  const core::PersistentVolumeStatus before = core::PersistentVolume(old).status();
  core::MutablePersistentVolume volume(object);
  const std::optional<object::Timestamp> given =
      volume.Read().status().last_phase_transition_time();
  const std::optional<object::Timestamp> last = before.last_phase_transition_time();
  if (before.phase() != volume.Read().status().phase()) {
    if (!given || given == last) volume.mutable_status().set_last_phase_transition_time(write.now);
  } else if (!given && last) {
    volume.mutable_status().set_last_phase_transition_time(*last);
  }
}

}  // namespace

constinit const KindStrategy kPersistentVolumeStrategy = {"", "persistentvolumes", CreateVolume,
                                                          UpdateVolume};

}  // namespace skiff::apiserver
