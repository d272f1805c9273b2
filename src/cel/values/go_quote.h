// Texts in double quotes as Go's %q writes them, which is how they stand in messages and in what
// string.format() makes of lists and maps. Characters that do not print are escaped.
#pragma once

#include <string>
#include <string_view>

namespace skiff::cel {

std::string GoQuote(std::string_view text);

// Whether Go would print the character as it is (unicode.IsPrint).
bool IsPrintable(char32_t c);

}  // namespace skiff::cel
