// The rules of a ControllerRevision: data that never changes.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kControllerRevisionRules;

}  // namespace skiff::apiserver
