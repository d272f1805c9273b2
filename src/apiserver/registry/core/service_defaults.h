// What services get for what they leave out, where that takes code.
#pragma once

#include <span>

#include "apiserver/defaults/code_rules.h"

namespace skiff::apiserver {

std::span<const CodeRuleEntry> ServiceDefaults();

}  // namespace skiff::apiserver
