// The rules of the kinds of apiregistration.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> ApiregistrationRules();

}  // namespace skiff
