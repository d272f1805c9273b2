// Formats with names: format.dns1123Label().validate(text).
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> FormatFunctions();

}  // namespace skiff::cel
