// The rules of the kinds of batch.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> BatchRules();

}  // namespace skiff
