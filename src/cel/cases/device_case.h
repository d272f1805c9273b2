// One recorded selector of devices.
#pragma once

#include <string>

#include "object/value.h"

namespace skiff::cel {

// What differs; empty: nothing.
std::string RunDeviceCase(const object::Value& record);

}  // namespace skiff::cel
