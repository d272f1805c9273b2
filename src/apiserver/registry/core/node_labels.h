// Labels of nodes that got other names.
#pragma once

#include <string_view>

namespace skiff::apiserver {

// What to tell people who still use a label; empty for those that are current.
std::string_view DeprecationOfNodeLabel(std::string_view key);
// The name that a label of a beta version has now; empty if it is none.
std::string_view StableNodeLabel(std::string_view key);

}  // namespace skiff::apiserver
