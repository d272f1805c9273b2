#include "cel/values/go_quote.h"

#include <re2/re2.h>

#include "base/hex.h"
#include "base/utf8.h"

namespace skiff::cel {
namespace {

void AppendEscaped(char32_t c, std::string& out) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  out += '\\';
  if (const size_t named = c < 0x20 ? kNamed.find(static_cast<char>(c)) : kNamed.npos;
      named != kNamed.npos && c != 0) {
    out += "abfnrtv"[named];
  } else if (c < 0x80) {
    out += 'x';
    out += HexNumber(c, 2);
  } else if (c < 0x10000) {
    out += 'u';
    out += HexNumber(c, 4);
  } else {
    out += 'U';
    out += HexNumber(c, 8);
  }
}

}  // namespace

bool IsPrintable(char32_t c) {
  if (c < 0x7F) return c >= 0x20;
  if (c < 0xA1) return false;
  // RE2 has the tables of Unicode's categories.
  static const re2::RE2* const kPrintable = new re2::RE2(R"([\pL\pM\pN\pP\pS])");
  std::string text;
  AppendUtf8(c, text);
  return re2::RE2::FullMatch(text, *kPrintable);
}

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = TakeCodePoint(text);
    const std::string_view bytes = before.substr(0, before.size() - text.size());
    if (c == kReplacementCharacter && bytes.size() == 1) {
      (out += "\\x") += HexByte(bytes[0]);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += bytes;
    } else if (IsPrintable(c)) {
      out += bytes;
    } else {
      AppendEscaped(c, out);
    }
  }
  out += '"';
  return out;
}

}  // namespace skiff::cel
