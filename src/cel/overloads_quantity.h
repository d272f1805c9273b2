// Quantities and semantic versions.
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> QuantityFunctions();

}  // namespace skiff::cel
