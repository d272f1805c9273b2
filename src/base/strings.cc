#include "base/strings.h"

#include "base/go_quoted.h"

namespace skiff {
namespace {

constexpr bool IsAsciiSpace(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// White space beyond ASCII in UTF-8: two bytes (U+0085, U+00A0) or three.
constexpr bool IsWideSpace(std::string_view c) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(c[i]); };
  if (c.size() == 2) return byte(0) == 0xC2 && (byte(1) == 0x85 || byte(1) == 0xA0);
  const unsigned code = ((byte(0) & 0x0Fu) << 12) | ((byte(1) & 0x3Fu) << 6) | (byte(2) & 0x3Fu);
  if (byte(0) >> 4 != 0xE || byte(1) >> 6 != 2 || byte(2) >> 6 != 2) return false;
  return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

// The length of the white-space character at one end of the text; 0 if there is none.
size_t SpaceAtFront(std::string_view text) {
  if (text.empty()) return 0;
  if (IsAsciiSpace(static_cast<unsigned char>(text[0]))) return 1;
  for (size_t n = 2; n <= 3 && n <= text.size(); ++n) {
    if (IsWideSpace(text.substr(0, n))) return n;
  }
  return 0;
}

size_t SpaceAtBack(std::string_view text) {
  if (text.empty()) return 0;
  if (IsAsciiSpace(static_cast<unsigned char>(text.back()))) return 1;
  for (size_t n = 2; n <= 3 && n <= text.size(); ++n) {
    if (IsWideSpace(text.substr(text.size() - n))) return n;
  }
  return 0;
}

// The end of the longest prefix of at most `limit` bytes that does not split a character.
size_t CutPoint(std::string_view text, size_t limit) {
  size_t end = limit;
  while (end > limit - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

std::string Quoted(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return GoQuoted(text);
  return GoQuoted(text.substr(0, CutPoint(text, kMaxQuotedBytes))) + "...";
}

std::string InQuotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

void CutText(std::string& text, size_t max_bytes) {
  if (text.size() <= max_bytes) return;
  text.resize(CutPoint(text, max_bytes));
  text += "... (cut at " + std::to_string(max_bytes) + " bytes)";
}

std::string CutCopy(std::string_view text, size_t max_bytes) {
  // One byte more tells that there is more.
  std::string out(text.substr(0, max_bytes + 1));
  CutText(out, max_bytes);
  return out;
}

std::string_view TrimSpace(std::string_view text) {
  while (const size_t n = SpaceAtFront(text)) text.remove_prefix(n);
  while (const size_t n = SpaceAtBack(text)) text.remove_suffix(n);
  return text;
}

std::string AsciiLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace skiff
