// The rules of a CSINode: the drivers that a node has.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kCSINodeRules;

}  // namespace skiff::apiserver
