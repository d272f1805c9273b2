// The rules of a CSINode: the drivers that a node has.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kCSINodeRules;

}  // namespace skiff
