// One recorded schema with its rules.
#pragma once

#include <string>

#include "object/value.h"

namespace skiff::cel {

// What differs; empty: nothing.
std::string RunRuleCase(const object::Value& record);

}  // namespace skiff::cel
