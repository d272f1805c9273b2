// The syntax of Go's regular expressions: what is wrong with a pattern, in the words of its package
// regexp/syntax, and the same pattern as RE2 takes it.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::cel {

// Go's bounds: how often something repeats at most, and how deep a pattern nests.
inline constexpr int kMaxRegexRepeat = 1000;
inline constexpr int kMaxRegexDepth = 1000;
// Groups of Unicode in one pattern, each of which RE2 makes hundreds of ranges of. Go bounds the
// ranges; a pattern with more groups than this would be too large for RE2 in nearly all cases.
inline constexpr int kMaxUnicodeGroups = 500;

// The pattern for RE2, or "error parsing regexp: missing closing ]: `[`".
Result<std::string> TranslateGoRegex(std::string_view pattern);

}  // namespace skiff::cel
