// The rules of a DaemonSet: its pods, and how they are replaced.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kDaemonSetRules;

}  // namespace skiff::apiserver
