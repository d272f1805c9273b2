// Records of comma-separated values, with the rules of Go's encoding/csv, which reads the files of
// Kubernetes: fields may be quoted (a quote within is doubled, and line ends stand for themselves),
// a quote in a field without quotes is an error, empty lines are no records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::apiserver {

// Errors carry line and column and repeat nothing of the text.
Result<std::vector<std::vector<std::string>>> ParseCsv(std::string_view text);

}  // namespace skiff::apiserver
