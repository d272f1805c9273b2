// The rules of the kinds of storagemigration.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> StoragemigrationRules();

}  // namespace skiff
