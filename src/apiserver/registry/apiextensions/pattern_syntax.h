// The syntax of patterns in schemas: regular expressions as RE2 has them.
#pragma once

#include <string_view>

namespace skiff::apiserver {

// What is certainly wrong with a pattern; empty if nothing is found. Only the structure is looked
// at: groups, classes, repetitions and escapes, not what classes hold.
std::string_view ProblemOfPattern(std::string_view pattern);

}  // namespace skiff::apiserver
