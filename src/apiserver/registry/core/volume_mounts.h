// Where containers see the volumes of their pod.
#pragma once

#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// The volumes of a pod that have no fault of their own, by name.
class ValidVolumes {
 public:
  void Add(const views::core_v1::Volume& volume) { volumes_.push_back(volume); }
  // Once all are there.
  void Finish();
  // A view of nothing if there is none.
  views::core_v1::Volume Find(std::string_view name) const;

 private:
  std::vector<views::core_v1::Volume> volumes_;
  bool sorted_ = false;
};

// volumeMounts and volumeDevices of the container where `errors` is.
void ValidateVolumeMounts(const views::core_v1::Container& container, const ValidVolumes& volumes,
                          FieldErrors& errors);
void ValidateVolumeDevices(const views::core_v1::Container& container, const ValidVolumes& volumes,
                           FieldErrors& errors);

}  // namespace skiff::apiserver
