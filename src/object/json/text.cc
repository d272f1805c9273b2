#include "object/json/text.h"

#include <bit>
#include <cmath>

#include "base/hex.h"
#include "base/utf8.h"
#include "object/json/simd.h"

namespace skiff::object {
namespace {

// The longest that one input byte becomes: \u00XX.
constexpr size_t kLongestEscape = 6;

char* WriteUnicodeEscape(char* to, unsigned code) {
  constexpr std::string_view kHexDigits = HexDigits();
  std::memcpy(to, "\\u", 2);
  to[2] = kHexDigits[(code >> 12) & 15];
  to[3] = kHexDigits[(code >> 8) & 15];
  to[4] = kHexDigits[(code >> 4) & 15];
  to[5] = kHexDigits[code & 15];
  return to + 6;
}

// Writes one ASCII character, escaped where JSON or Go wants it.
char* WriteEscapedAscii(char* to, char c) {
  char letter = 0;
  switch (c) {
    case '"':
    case '\\':
      letter = c;
      break;
    case '\b':
      letter = 'b';
      break;
    case '\f':
      letter = 'f';
      break;
    case '\n':
      letter = 'n';
      break;
    case '\r':
      letter = 'r';
      break;
    case '\t':
      letter = 't';
      break;
    case '<':
    case '>':
    case '&':
      return WriteUnicodeEscape(to, static_cast<unsigned char>(c));
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        return WriteUnicodeEscape(to, static_cast<unsigned char>(c));
      }
      *to = c;
      return to + 1;
  }
  to[0] = '\\';
  to[1] = letter;
  return to + 2;
}

// Writes the character at `from`, whatever it is, and moves `from` past it.
char* WriteCharacter(char* to, const char*& from, const char* end) {
  if (static_cast<unsigned char>(*from) < 0x80) return WriteEscapedAscii(to, *from++);
  const size_t length = Utf8SequenceLength(from, end);
  if (length == 0) {
    ++from;
    std::memcpy(to, "\\ufffd", 6);
    return to + 6;
  }
  // U+2028 and U+2029 end a line in JavaScript, so Go escapes them.
  if (length == 3 && std::memcmp(from, "\xe2\x80", 2) == 0 &&
      (static_cast<unsigned char>(from[2]) & 0xfe) == 0xa8) {
    to = WriteUnicodeEscape(to, 0x2000u | (static_cast<unsigned char>(from[2]) & 0x3fu));
    from += 3;
    return to;
  }
  std::memcpy(to, from, length);
  from += length;
  return to + length;
}

// Copies text that needs no change; false if it meets a character that might. Managed fields, a
// good part of most objects, are such text.
bool CopyIfCompact(ByteBuffer& out, std::string_view text) {
  const char* from = text.data();
  const char* const end = from + text.size();
  char* to = out.Reserve(text.size() + kSimdWidth);
  for (; end - from >= 64; from += 64, to += 64) {
    if (!CopyCompact64(to, from)) return false;
  }
  for (; end - from >= 16; from += 16, to += 16) {
    if (!CopyCompact16(to, from)) return false;
  }
  char tail[kSimdWidth];
  const auto left = static_cast<size_t>(end - from);
  std::memset(tail, 'x', sizeof tail);
  if (left != 0) std::memcpy(tail, from, left);
  if (!CopyCompact16(to, tail)) return false;
  out.CommitTo(to + left);
  return true;
}

// Beyond 2^53 std::to_chars writes all digits of the integer; Go writes zeros after the fewest that
// tell the number from its neighbours.
void ZeroInexactDigits(char* digits, const char* end, double value) {
  char shortest[32];
  const char* const stop =
      std::to_chars(shortest, shortest + sizeof shortest, value, std::chars_format::scientific).ptr;
  const char* from = shortest;
  for (char* to = digits; to != end; ++to) {
    if (from != stop && *from == '.') ++from;
    const bool is_exact = from != stop && *from != 'e';
    *to = is_exact ? *from++ : '0';
  }
}

}  // namespace

void AppendJsonString(ByteBuffer& out, std::string_view text) {
  const char* from = text.data();
  const char* const end = from + text.size();
  char* to = out.Reserve(text.size() + 2 + kSimdWidth);
  *to++ = '"';
  while (true) {
    // `to` always has room for the rest of the text as it is, a vector and the quote.
    while (end - from >= static_cast<ptrdiff_t>(kSimdWidth)) {
      const uint32_t mask = CopyAndMaskEscapes(to, from);
      const int plain = mask == 0 ? static_cast<int>(kSimdWidth) : std::countr_zero(mask);
      from += plain;
      to += plain;
      if (mask != 0) break;
    }
    if (end - from < static_cast<ptrdiff_t>(kSimdWidth)) {
      char tail[kSimdWidth];
      const auto left = static_cast<size_t>(end - from);
      std::memset(tail, 'x', sizeof tail);
      if (left != 0) std::memcpy(tail, from, left);
      const uint32_t mask = CopyAndMaskEscapes(to, tail);
      const size_t plain = mask == 0 ? left : static_cast<size_t>(std::countr_zero(mask));
      from += plain;
      to += plain;
    }
    if (from == end) break;
    to = WriteCharacter(to, from, end);
    out.CommitTo(to);
    to = out.Reserve(static_cast<size_t>(end - from) + kLongestEscape + 2 + kSimdWidth);
  }
  *to++ = '"';
  out.CommitTo(to);
}

void AppendJsonDouble(ByteBuffer& out, double value) {
  if (!std::isfinite(value)) return out.Append("null");
  char* to = out.Reserve(32);
  const double magnitude = std::fabs(value);
  // Go switches to exponents where JavaScript does.
  const bool exponent = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  char* end = std::to_chars(to, to + 32, value, format).ptr;
  if (!exponent && magnitude >= 0x1p53) ZeroInexactDigits(to, end, value);
  if (exponent && end - to >= 4 && end[-4] == 'e' && end[-3] == '-' && end[-2] == '0') {
    end[-2] = end[-1];  // 1e-09 is written 1e-9
    --end;
  }
  out.CommitTo(end);
}

void AppendCompactJson(ByteBuffer& out, std::string_view valid_json, JsonEscapes escapes) {
  const size_t size_before = out.size();
  if (CopyIfCompact(out, valid_json)) return;
  out.Truncate(size_before);
  const char* from = valid_json.data();
  const char* const end = from + valid_json.size();
  bool in_string = false;
  while (from != end) {
    const char c = *from;
    if (!in_string) {
      ++from;
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
      in_string = c == '"';
      out.Append(c);
    } else if (c == '\\' && end - from >= 2) {
      out.Append({from, 2});
      from += 2;
    } else if (c == '"') {
      in_string = false;
      ++from;
      out.Append(c);
    } else if (escapes == JsonEscapes::kAsGo) {
      out.CommitTo(WriteCharacter(out.Reserve(kLongestEscape), from, end));
    } else {
      out.Append(c);
      ++from;
    }
  }
}

}  // namespace skiff::object
