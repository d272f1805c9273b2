// The rules of a Namespace: its finalizers.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kNamespaceRules;

}  // namespace skiff::apiserver
