// Getters of timestamps and durations.
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> TimeFunctions();

}  // namespace skiff::cel
