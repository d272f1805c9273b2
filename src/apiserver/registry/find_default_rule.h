// The defaults of kinds that take code.
#pragma once

#include <string_view>

#include "apiserver/defaults/code_rules.h"
#include "object/descriptor.h"

namespace skiff::apiserver {

// Null when there is none for the path of this message.
const CodeRuleEntry* FindDefaultRule(const object::MessageDesc& message, std::string_view path);

}  // namespace skiff::apiserver
