// One recorded expression.
#pragma once

#include <string>

#include "object/value.h"

namespace skiff::cel {

// What differs; empty: nothing. `context` is what the record's `use` names, or null.
std::string RunEvalCase(const object::Value& record, const object::Value* context);

}  // namespace skiff::cel
