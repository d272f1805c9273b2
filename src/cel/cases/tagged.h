// Values as recorded cases write them: {"t": "int", "v": "1"}.
#pragma once

#include <string>

#include "cel/value.h"
#include "object/value.h"

namespace skiff::cel {

Val FromTagged(Arena& arena, const object::Value& tagged);
bool SameAsTagged(Arena& arena, const Val& value, const object::Value& tagged);

}  // namespace skiff::cel
