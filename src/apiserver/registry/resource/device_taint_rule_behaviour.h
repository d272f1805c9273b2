// What writing a DeviceTaintRule does to it: a taint is dated.
#pragma once

#include "apiserver/registry/kind_strategy.h"

namespace skiff::apiserver {

extern const KindStrategy kDeviceTaintRuleStrategy;

}  // namespace skiff::apiserver
