// Small helpers on text that more than one module needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skiff {

// How much of a piece of input an error message repeats.
inline constexpr size_t kMaxQuotedBytes = 64;

// The text in double quotes, fit for a message: as GoQuoted() (go_quoted.h), and what goes beyond
// kMaxQuotedBytes is left out.
std::string Quoted(std::string_view text);

// The text between double quotes as it is, where Kubernetes escapes nothing.
std::string InQuotes(std::string_view text);

// What goes beyond `max_bytes` is left out of a text that an error repeats, which says so then:
// "... (cut at 4096 bytes)". Characters stay whole.
void CutText(std::string& text, size_t max_bytes);
std::string CutCopy(std::string_view text, size_t max_bytes);

// Without leading and trailing white space in the sense of Unicode, as Go's strings.TrimSpace.
std::string_view TrimSpace(std::string_view text);

// A to Z as a to z; everything else as it is.
std::string AsciiLower(std::string_view text);

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace skiff
