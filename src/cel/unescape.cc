#include "cel/unescape.h"

#include <cstdint>

#include "base/utf8.h"

namespace skiff::cel {
namespace {

constexpr std::string_view kUnable = "unable to unescape string";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A line end is one line feed, whatever the text had.
std::string NormalNewlines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, bool bytes) : text_(text), bytes_(bytes) {}

  Unescaped Run() {
    while (at_ < text_.size() && out_.error.empty()) {
      if (text_[at_] == '\\') {
        Escape();
      } else {
        out_.text += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  void Escape() {
    if (++at_ == text_.size()) {
      out_.error = kUnable;
      return;
    }
    const char c = text_[at_++];
    switch (c) {
      case 'a':
        out_.text += '\a';
        return;
      case 'b':
        out_.text += '\b';
        return;
      case 'f':
        out_.text += '\f';
        return;
      case 'n':
        out_.text += '\n';
        return;
      case 'r':
        out_.text += '\r';
        return;
      case 't':
        out_.text += '\t';
        return;
      case 'v':
        out_.text += '\v';
        return;
      case '\\':
      case '\'':
      case '"':
      case '`':
      case '?':
        out_.text += c;
        return;
      case 'x':
      case 'X':
        return Code(2, 16);
      case 'u':
      case 'U':
        if (bytes_) {
          out_.error = kUnable;
          return;
        }
        return Code(c == 'u' ? 4 : 8, 16);
      case '0':
      case '1':
      case '2':
      case '3':
        --at_;
        return Code(3, 8);
      default:
        out_.error = kUnable;
    }
  }

  void Code(size_t digits, uint32_t base) {
    uint32_t code = 0;
    for (size_t i = 0; i < digits; ++i) {
      const int digit = at_ < text_.size() ? HexDigit(text_[at_++]) : -1;
      if (digit < 0 || static_cast<uint32_t>(digit) >= base) {
        out_.error = kUnable;
        return;
      }
      code = code * base + static_cast<uint32_t>(digit);
    }
    if (bytes_) {
      out_.text += static_cast<char>(code);
    } else if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
      out_.error = "invalid unicode code point";
    } else {
      AppendUtf8(code, out_.text);
    }
  }

  std::string_view text_;
  bool bytes_;
  size_t at_ = 0;
  Unescaped out_;
};

}  // namespace

Unescaped Unescape(std::string_view literal, bool bytes) {
  bool raw = false;
  if (literal.starts_with('r') || literal.starts_with('R')) {
    raw = true;
    literal.remove_prefix(1);
  }
  const size_t quotes =
      literal.size() >= 6 && (literal.starts_with("'''") || literal.starts_with("\"\"\"")) ? 3 : 1;
  if (literal.size() < 2 * quotes) return {{}, kUnable};
  const std::string body = NormalNewlines(literal.substr(quotes, literal.size() - 2 * quotes));
  if (raw) return {body, {}};
  return Reader(body, bytes).Run();
}

}  // namespace skiff::cel
