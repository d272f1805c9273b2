// What writing a ServiceAccount does to it.
#pragma once

#include "apiserver/registry/kind_strategy.h"

namespace skiff::apiserver {

extern const KindStrategy kServiceAccountStrategy;

}  // namespace skiff::apiserver
