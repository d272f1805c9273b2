#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace skiff {

size_t Utf8SequenceLength(const char* at, const char* end) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(at[i]); };
  const auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const auto left = static_cast<size_t>(end - at);
  if (left == 0) return 0;
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return left >= 2 && continues(1) ? 2 : 0;
  if (lead < 0xf0) {
    if (left < 3 || !continues(1) || !continues(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
    if (lead == 0xed && byte(1) >= 0xa0) return 0;  // a surrogate
    return 3;
  }
  if (lead > 0xf4 || left < 4 || !continues(1) || !continues(2) || !continues(3)) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;   // overlong
  if (lead == 0xf4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
  return 4;
}

bool IsValidUtf8(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    uint64_t word;
    if (end - at >= 8 && (std::memcpy(&word, at, 8), (word & 0x8080808080808080u) == 0)) {
      at += 8;
      continue;
    }
    const size_t length = Utf8SequenceLength(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

char32_t TakeCodePoint(std::string_view& text) {
  const size_t length = Utf8SequenceLength(text.data(), text.data() + text.size());
  if (length == 0) {
    text.remove_prefix(1);
    return kReplacementCharacter;
  }
  const auto lead = static_cast<unsigned char>(text[0]);
  char32_t code_point = length == 1 ? lead : lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    code_point = code_point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(length);
  return code_point;
}

void AppendUtf8(char32_t c, std::string& out) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacementCharacter;
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  out += static_cast<char>(((0xFF00u >> (more + 1)) & 0xFF) | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3F));
}

}  // namespace skiff
