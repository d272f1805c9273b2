// Which bytes are UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace skiff {

// The length of the UTF-8 sequence that begins at `at`, or 0 if none does: overlong forms,
// surrogates, and code points beyond U+10FFFF are not UTF-8.
size_t Utf8SequenceLength(const char* at, const char* end);
bool IsValidUtf8(std::string_view text);

}  // namespace skiff
