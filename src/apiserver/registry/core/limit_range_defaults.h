// What a LimitRange gets for what it leaves out, where that takes code.
#pragma once

#include <span>

#include "apiserver/defaults/code_rules.h"

namespace skiff::apiserver {

std::span<const CodeRuleEntry> LimitRangeDefaults();

}  // namespace skiff::apiserver
