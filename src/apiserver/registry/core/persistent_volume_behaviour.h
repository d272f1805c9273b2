// What writing a PersistentVolume does to it: it remembers when its phase changed.
#pragma once

#include "apiserver/registry/kind_strategy.h"

namespace skiff::apiserver {

extern const KindStrategy kPersistentVolumeStrategy;

}  // namespace skiff::apiserver
