// The rules of node.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kRuntimeClassRules;

std::span<const KindRules> NodeRules();

}  // namespace skiff
