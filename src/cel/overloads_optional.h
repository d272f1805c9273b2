// Optional values, and what the macros of folds with two variables call.
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> OptionalFunctions();

}  // namespace skiff::cel
