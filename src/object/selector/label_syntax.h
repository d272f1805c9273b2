// What is wrong with a label's key or value, in one sentence; "" when nothing is.
#pragma once

#include <string>
#include <string_view>

namespace skiff {

std::string LabelKeyProblem(std::string_view key);
std::string LabelValueProblem(std::string_view value);

}  // namespace skiff
