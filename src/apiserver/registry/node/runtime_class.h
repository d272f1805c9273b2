// The rules of a RuntimeClass: its handler, overhead and where its pods may run.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kRuntimeClassRules;

}  // namespace skiff::apiserver
