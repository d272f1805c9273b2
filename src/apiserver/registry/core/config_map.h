// The rules of a ConfigMap: its keys and how much they hold.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kConfigMapRules;

}  // namespace skiff::apiserver
