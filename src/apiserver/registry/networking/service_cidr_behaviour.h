// What writing a ServiceCIDR does to it: its status is not for clients to set.
#pragma once

#include "apiserver/registry/kind_strategy.h"

namespace skiff::apiserver {

extern const KindStrategy kServiceCIDRStrategy;

}  // namespace skiff::apiserver
