// A text as a string of JSON, with its quotes: for messages that show a value, and for patches.
#pragma once

#include <string>
#include <string_view>

namespace skiff::object {

std::string JsonText(std::string_view text);

}  // namespace skiff::object
