// The Status that tells a client of an error, as compact JSON.
#pragma once

#include <string>

#include "base/status.h"

namespace skiff::object {

std::string StatusToJson(const Status& status);

}  // namespace skiff::object
