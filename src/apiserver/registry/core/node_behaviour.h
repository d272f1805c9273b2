// What writing a Node does to it: configuration of kubelets that they no longer have goes.
#pragma once

#include "apiserver/registry/kind_strategy.h"

namespace skiff::apiserver {

extern const KindStrategy kNodeStrategy;

}  // namespace skiff::apiserver
