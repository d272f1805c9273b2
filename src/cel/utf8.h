// UTF-8 as Go reads it: a byte that begins no code point stands for U+FFFD and is one byte long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skiff::cel {

struct Rune {
  char32_t rune;
  size_t size;
};
inline constexpr char32_t kReplacementRune = 0xFFFD;

// Of the beginning of a text that is not empty.
Rune DecodeRune(std::string_view text);
void AppendRune(std::string& out, char32_t rune);
// How many code points a text has.
size_t CountRunes(std::string_view text);
bool IsValidUtf8(std::string_view text);

}  // namespace skiff::cel
