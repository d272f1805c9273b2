#include "cel/lexer.h"

namespace skiff::cel {
namespace {

bool IsDigit(char32_t c) { return c >= '0' && c <= '9'; }
bool IsHex(char32_t c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsNameStart(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsNamePart(char32_t c) { return IsNameStart(c) || IsDigit(c); }

// What a match of a string literal came to: its end, or how far the text could be read as one.
struct StringMatch {
  bool ok = false;
  size_t end = 0;
};

class Lexer {
 public:
  Lexer(const Source& source, std::vector<Issue>& issues)
      : source_(source), text_(source.code_points()), issues_(issues) {}

  std::vector<Token> Run() {
    std::vector<Token> tokens;
    while (SkipSpace()) {
      Token token = Next();
      if (token.end > token.begin) {
        tokens.push_back(token);
        at_ = static_cast<size_t>(token.end);
      }
    }
    const auto end = static_cast<int32_t>(text_.size());
    tokens.push_back({TokenKind::kEnd, end, end});
    return tokens;
  }

 private:
  char32_t Peek(size_t at) const { return at < text_.size() ? text_[at] : 0; }

  // False at the end of the text.
  bool SkipSpace() {
    for (; at_ < text_.size(); ++at_) {
      const char32_t c = text_[at_];
      if (c == '/' && Peek(at_ + 1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        if (at_ == text_.size()) return false;
      } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') {
        return true;
      }
    }
    return false;
  }

  Token Make(TokenKind kind, size_t length) const {
    return {kind, static_cast<int32_t>(at_), static_cast<int32_t>(at_ + length)};
  }

  Token Next() {
    const char32_t c = text_[at_];
    if (Token text = String(); text.end > text.begin || skipped_) {
      skipped_ = false;
      return text;
    }
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(at_ + 1)))) return Number();
    if (IsNameStart(c)) return Name();
    if (c == '`') return EscapedName();
    return Operator(c);
  }

  Token Name() const {
    size_t end = at_ + 1;
    while (IsNamePart(Peek(end))) ++end;
    const std::string_view name = source_.Text(at_, end);
    TokenKind kind = TokenKind::kIdentifier;
    if (name == "true") kind = TokenKind::kTrue;
    if (name == "false") kind = TokenKind::kFalse;
    if (name == "null") kind = TokenKind::kNull;
    if (name == "in") kind = TokenKind::kIn;
    return Make(kind, end - at_);
  }

  Token EscapedName() {
    size_t end = at_ + 1;
    const auto part = [](char32_t c) {
      return IsNamePart(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    };
    while (part(Peek(end))) ++end;
    if (Peek(end) == '`' && end > at_ + 1) {
      return Make(TokenKind::kEscapedIdentifier, end + 1 - at_);
    }
    return Unknown(end);
  }

  Token Number() const {
    size_t end = at_;
    if (text_[at_] == '0' && Peek(at_ + 1) == 'x' && IsHex(Peek(at_ + 2))) {
      end = at_ + 2;
      while (IsHex(Peek(end))) ++end;
      if (Peek(end) == 'u' || Peek(end) == 'U') return Make(TokenKind::kUint, end + 1 - at_);
      return Make(TokenKind::kInt, end - at_);
    }
    while (IsDigit(Peek(end))) ++end;
    bool fraction = false;
    if (Peek(end) == '.' && IsDigit(Peek(end + 1))) {
      fraction = true;
      ++end;
      while (IsDigit(Peek(end))) ++end;
    }
    if (Peek(end) == 'e' || Peek(end) == 'E') {
      size_t digits = end + 1;
      if (Peek(digits) == '+' || Peek(digits) == '-') ++digits;
      if (IsDigit(Peek(digits))) {
        fraction = true;
        end = digits;
        while (IsDigit(Peek(end))) ++end;
      }
    }
    if (fraction) return Make(TokenKind::kDouble, end - at_);
    if (Peek(end) == 'u' || Peek(end) == 'U') return Make(TokenKind::kUint, end + 1 - at_);
    return Make(TokenKind::kInt, end - at_);
  }

  // A string or bytes literal with its prefix; nothing if there is none here. What begins as one
  // and does not end as one is skipped.
  Token String() {
    size_t quote = at_;
    bool bytes = false;
    bool raw = false;
    if (Peek(quote) == 'b' || Peek(quote) == 'B') {
      bytes = true;
      ++quote;
    }
    if (Peek(quote) == 'r' || Peek(quote) == 'R') {
      raw = true;
      ++quote;
    }
    const char32_t mark = Peek(quote);
    if (mark != '"' && mark != '\'') return {};
    const StringMatch match = Body(quote, mark, raw);
    if (match.ok) return Make(bytes ? TokenKind::kBytes : TokenKind::kString, match.end - at_);
    // A prefix letter is a name by itself.
    if (quote != at_) return {};
    skipped_ = true;
    return Unknown(match.end);
  }

  StringMatch Body(size_t quote, char32_t mark, bool raw) const {
    if (Peek(quote + 1) == mark && Peek(quote + 2) == mark) {
      if (const StringMatch match = Triple(quote + 3, mark, raw); match.ok) return match;
    }
    size_t at = quote + 1;
    while (at < text_.size()) {
      const char32_t c = text_[at];
      if (c == mark) return {true, at + 1};
      if (c == '\n' || c == '\r') return {false, at + 1};
      if (c == '\\' && !raw) {
        const size_t length = Escape(at);
        if (length == 0) return {false, std::min(BadEscape(at), text_.size())};
        at += length;
      } else {
        ++at;
      }
    }
    return {false, text_.size()};
  }

  StringMatch Triple(size_t at, char32_t mark, bool raw) const {
    while (at < text_.size()) {
      const char32_t c = text_[at];
      if (c == mark && Peek(at + 1) == mark && Peek(at + 2) == mark) return {true, at + 3};
      if (c == '\\' && !raw) {
        const size_t length = Escape(at);
        if (length == 0) return {};
        at += length;
      } else {
        ++at;
      }
    }
    return {};
  }

  // How long the escape sequence at a backslash is; 0 if it is none.
  size_t Escape(size_t at) const {
    const char32_t c = Peek(at + 1);
    const auto hex = [&](size_t count) {
      for (size_t i = 0; i < count; ++i) {
        if (!IsHex(Peek(at + 2 + i))) return size_t{0};
      }
      return 2 + count;
    };
    const auto octal = [&](size_t i) { return Peek(at + i) >= '0' && Peek(at + i) <= '7'; };
    switch (c) {
      case 'a':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case '"':
      case '\'':
      case '\\':
      case '?':
      case '`':
        return 2;
      case 'x':
      case 'X':
        return hex(2);
      case 'u':
        return hex(4);
      case 'U':
        return hex(8);
      case '0':
      case '1':
      case '2':
      case '3':
        return octal(2) && octal(3) ? 4 : 0;
      default:
        return 0;
    }
  }
  // Behind the first code point that makes an escape sequence none.
  size_t BadEscape(size_t at) const {
    const char32_t c = Peek(at + 1);
    size_t end = at + 2;
    if (c == 'x' || c == 'X' || c == 'u' || c == 'U') {
      while (IsHex(Peek(end))) ++end;
      return end + 1;
    }
    return end;
  }

  Token Operator(char32_t c) {
    const char32_t next = Peek(at_ + 1);
    switch (c) {
      case '=':
        return next == '=' ? Make(TokenKind::kEqual, 2) : Unknown(at_ + 2);
      case '!':
        return next == '=' ? Make(TokenKind::kNotEqual, 2) : Make(TokenKind::kNot, 1);
      case '<':
        return next == '=' ? Make(TokenKind::kLessEqual, 2) : Make(TokenKind::kLess, 1);
      case '>':
        return next == '=' ? Make(TokenKind::kGreaterEqual, 2) : Make(TokenKind::kGreater, 1);
      case '&':
        return next == '&' ? Make(TokenKind::kAnd, 2) : Unknown(at_ + 2);
      case '|':
        return next == '|' ? Make(TokenKind::kOr, 2) : Unknown(at_ + 2);
      case '[':
        return Make(TokenKind::kLeftBracket, 1);
      case ']':
        return Make(TokenKind::kRightBracket, 1);
      case '{':
        return Make(TokenKind::kLeftBrace, 1);
      case '}':
        return Make(TokenKind::kRightBrace, 1);
      case '(':
        return Make(TokenKind::kLeftParen, 1);
      case ')':
        return Make(TokenKind::kRightParen, 1);
      case '.':
        return Make(TokenKind::kDot, 1);
      case ',':
        return Make(TokenKind::kComma, 1);
      case '-':
        return Make(TokenKind::kMinus, 1);
      case '?':
        return Make(TokenKind::kQuestion, 1);
      case ':':
        return Make(TokenKind::kColon, 1);
      case '+':
        return Make(TokenKind::kPlus, 1);
      case '*':
        return Make(TokenKind::kStar, 1);
      case '/':
        return Make(TokenKind::kSlash, 1);
      case '%':
        return Make(TokenKind::kPercent, 1);
      default:
        return Unknown(at_ + 1);
    }
  }

  Token Unknown(size_t end) {
    end = std::min(std::max(end, at_ + 1), text_.size());
    issues_.push_back(source_.At(
        static_cast<int32_t>(at_),
        "Syntax error: token recognition error at: '" + std::string(source_.Text(at_, end)) + "'"));
    at_ = end;
    return {};
  }

  const Source& source_;
  const std::vector<char32_t>& text_;
  std::vector<Issue>& issues_;
  size_t at_ = 0;
  bool skipped_ = false;
};

}  // namespace

std::vector<Token> Tokenize(const Source& source, std::vector<Issue>& issues) {
  return Lexer(source, issues).Run();
}

}  // namespace skiff::cel
