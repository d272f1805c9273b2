// UTF-8. Overlong forms, surrogates and code points beyond U+10FFFF are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skiff {

// The length of the sequence that begins at `at`, or 0 if none does.
size_t Utf8SequenceLength(const char* at, const char* end);
bool IsValidUtf8(std::string_view text);

// What a byte stands for that is not part of a character.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// Takes the first character off a text that is not empty; a byte that is not part of one counts as
// U+FFFD, as in Go.
char32_t TakeCodePoint(std::string_view& text);
void AppendUtf8(char32_t code_point, std::string& out);

}  // namespace skiff
