// What a CustomResourceDefinition gets for what it leaves out, where that takes code.
#pragma once

#include <span>

#include "apiserver/defaults/code_rules.h"

namespace skiff::apiserver {

std::span<const CodeRuleEntry> DefinitionDefaults();

}  // namespace skiff::apiserver
