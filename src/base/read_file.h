// Small files that hold secrets and keys.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace skiff {

// The bytes of a file of at most `max_bytes`. Errors name the path and repeat nothing of the file.
Result<std::string> ReadFileUpTo(const std::string& path, size_t max_bytes);

}  // namespace skiff
