// What autoscalers get for what they leave out, where that takes code.
#pragma once

#include <span>

#include "apiserver/defaults/code_rules.h"

namespace skiff::apiserver {

std::span<const CodeRuleEntry> AutoscalerDefaults();

}  // namespace skiff::apiserver
