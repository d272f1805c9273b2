// cel-go's library of strings, version 2, and jsonpatch.escapeKey() of mutating policies.
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> StringFunctions();
std::span<const OverloadRow> JsonPatchFunctions();

}  // namespace skiff::cel
