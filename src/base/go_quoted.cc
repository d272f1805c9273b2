#include "base/go_quoted.h"

#include "base/hex.h"
#include "base/utf8.h"

namespace skiff {

std::string GoQuoted(std::string_view text) {
  std::string out = "\"";
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const unsigned char c = static_cast<unsigned char>(*at);
    const size_t length = Utf8SequenceLength(at, end);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += *at++;
    } else if (length > 1 || (c >= 0x20 && c < 0x7f)) {
      out.append(at, length);
      at += length;
    } else {
      constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
      const size_t named = kNamed.find(*at++);
      if (named != kNamed.npos) {
        out += '\\';
        out += "abfnrtv"[named];
      } else {
        (out += "\\x") += HexByte(c);
      }
    }
  }
  return out + '"';
}

std::string QuotedList(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ' ';
    out += GoQuoted(item);
  }
  return out + ']';
}

}  // namespace skiff
