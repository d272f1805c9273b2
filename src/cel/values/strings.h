// Functions of CEL on strings, without CEL's values: strings in, strings out.
//
// Positions and sizes count code points; a byte that is not part of valid UTF-8 counts as one, as
// in Go. Errors have the text of cel-go. Searching takes time linear in the text, however it is
// made, and no result is longer than kMaxResultBytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::cel {

// What one call of a function may make at most. Kubernetes has no bound but the cost of the call,
// which it counts when the text is already there.
inline constexpr size_t kMaxResultBytes = 16 * 1024 * 1024;

// size(text).
size_t CodePointCount(std::string_view text);

bool Contains(std::string_view text, std::string_view sought);

// The character at a position; nothing at the very end.
Result<std::string> CharAt(std::string_view text, int64_t index);

// Where `sought` begins, from a position on; -1 if nowhere. An empty one is found at `from`,
// whatever that is.
Result<int64_t> IndexOf(std::string_view text, std::string_view sought, int64_t from = 0);
// The last place; with `from`, the last that begins there or before.
int64_t LastIndexOf(std::string_view text, std::string_view sought);
Result<int64_t> LastIndexOf(std::string_view text, std::string_view sought, int64_t from);

Result<std::string> Substring(std::string_view text, int64_t start);
Result<std::string> Substring(std::string_view text, int64_t start, int64_t end);

// The first `limit` occurrences, or all if that is negative. An empty `from` stands before each
// character and at the end.
Result<std::string> Replace(std::string_view text, std::string_view from, std::string_view to,
                            int64_t limit = -1);

// At most `limit` pieces, of which the last is the rest; all if that is negative, none if it is 0.
// An empty separator splits into characters. The pieces are views of `text`.
std::vector<std::string_view> Split(std::string_view text, std::string_view separator,
                                    int64_t limit = -1);
Result<std::string> Join(std::span<const std::string_view> pieces, std::string_view separator = {});

// Without white space, in the sense of Unicode, at both ends.
std::string_view Trim(std::string_view text);
std::string LowerAscii(std::string_view text);
std::string UpperAscii(std::string_view text);
std::string Reverse(std::string_view text);

// strings.quote(): in double quotes, with CEL's escapes.
std::string Quote(std::string_view text);

// jsonpatch.escapeKey(): as one step of a JSON pointer.
std::string EscapeJsonPointerKey(std::string_view key);

}  // namespace skiff::cel
