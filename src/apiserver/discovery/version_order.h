// The order in which versions of a group stand that are equally preferred: stable ones first, then
// beta and alpha ones, each by falling numbers, and behind them whatever is named otherwise.
#pragma once

#include <string_view>

namespace skiff::apiserver {

bool VersionComesFirst(std::string_view a, std::string_view b);

}  // namespace skiff::apiserver
