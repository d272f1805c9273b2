// Values as people read them: JSON where there is JSON for it, and the literals of CEL elsewhere.
#pragma once

#include <string>

#include "cel/value.h"

namespace skiff::cel {

// "text", [1, 2u], {"a": 1.5}, timestamp("…"), optional.of(1).
std::string ValueText(Arena& arena, const Val& value);

}  // namespace skiff::cel
