// When taints of devices were added, if nobody says.
#pragma once

#include <span>

#include "apiserver/defaults/code_rules.h"

namespace skiff::apiserver {

std::span<const CodeRuleEntry> DeviceTaintDefaults();

}  // namespace skiff::apiserver
