// The rules of the kinds of autoscaling.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> AutoscalerRules();

}  // namespace skiff
