// The rules of a StatefulSet: its pods and claims, and how little of it may change.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kStatefulSetRules;

}  // namespace skiff::apiserver
