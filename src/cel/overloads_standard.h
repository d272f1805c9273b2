// The operators, conversions and text functions that CEL itself has.
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> StandardFunctions();
// Those that have one implementation for all their overloads.
std::span<const SharedImpl> StandardImplementations();

}  // namespace skiff::cel
