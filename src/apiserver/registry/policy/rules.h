// The rules of the kinds of policy.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> PolicyRules();

}  // namespace skiff
