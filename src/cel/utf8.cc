#include "cel/utf8.h"

namespace skiff::cel {

Rune DecodeRune(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first >= 0xC2 && first < 0xE0 && continues(1)) {
    return {(first & 0x1Fu) << 6 | (byte(1) & 0x3Fu), 2};
  }
  if (first >= 0xE0 && first < 0xF0 && continues(1) && continues(2)) {
    const char32_t rune = (first & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    if (rune >= 0x800 && (rune < 0xD800 || rune > 0xDFFF)) return {rune, 3};
  }
  if (first >= 0xF0 && first < 0xF5 && continues(1) && continues(2) && continues(3)) {
    const char32_t rune = (first & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
                          (byte(3) & 0x3Fu);
    if (rune >= 0x10000 && rune <= 0x10FFFF) return {rune, 4};
  }
  return {kReplacementRune, 1};
}

void AppendRune(std::string& out, char32_t rune) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (rune < 0x80) {
    put(rune);
  } else if (rune < 0x800) {
    put(0xC0 | rune >> 6);
    put(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    put(0xE0 | rune >> 12);
    put(0x80 | (rune >> 6 & 0x3F));
    put(0x80 | (rune & 0x3F));
  } else {
    put(0xF0 | rune >> 18);
    put(0x80 | (rune >> 12 & 0x3F));
    put(0x80 | (rune >> 6 & 0x3F));
    put(0x80 | (rune & 0x3F));
  }
}

size_t CountRunes(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    at += static_cast<unsigned char>(text[at]) < 0x80 ? 1 : DecodeRune(text.substr(at)).size;
  }
  return count;
}

bool IsValidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Rune rune = DecodeRune(text.substr(at));
    if (rune.rune == kReplacementRune && rune.size == 1) return false;
    at += rune.size;
  }
  return true;
}

}  // namespace skiff::cel
