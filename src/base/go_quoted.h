// Texts in quotes, as Go prints them with %q and as Kubernetes' messages therefore show them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skiff {

// Longer texts are not cut.
std::string GoQuoted(std::string_view text);
// ["a" "b"]
std::string QuotedList(const std::vector<std::string>& items);

}  // namespace skiff
