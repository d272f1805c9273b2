// Warnings of an answer, as headers.
#pragma once

#include <string>
#include <vector>

namespace skiff::serving {

// The values of Warning headers for these texts, each text once. If all of them together are more
// than limits::kMaxWarningBytes characters, long ones are cut and the rest is left out.
std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts);

}  // namespace skiff::serving
