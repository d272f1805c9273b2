// What writing a CSIDriver does to it: its generation counts the changes of its spec.
#pragma once

#include "apiserver/registry/kind_strategy.h"

namespace skiff::apiserver {

extern const KindStrategy kCSIDriverStrategy;

}  // namespace skiff::apiserver
