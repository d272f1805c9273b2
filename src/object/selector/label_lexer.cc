#include "object/selector/label_lexer.h"

namespace skiff::object {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsSymbol(char c) {
  return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<';
}

LabelToken::Kind SymbolKind(std::string_view text) {
  if (text == "==") return LabelToken::kDoubleEquals;
  if (text == "!=") return LabelToken::kNotEquals;
  switch (text[0]) {
    case '=':
      return LabelToken::kEquals;
    case '!':
      return LabelToken::kNot;
    case '(':
      return LabelToken::kOpen;
    case ')':
      return LabelToken::kClose;
    case ',':
      return LabelToken::kComma;
    case '>':
      return LabelToken::kGreater;
    default:
      return LabelToken::kLess;
  }
}

LabelToken::Kind WordKind(std::string_view text) {
  if (text == "in") return LabelToken::kIn;
  return text == "notin" ? LabelToken::kNotIn : LabelToken::kWord;
}

}  // namespace

std::vector<LabelToken> LexLabelSelector(std::string_view text) {
  std::vector<LabelToken> tokens;
  size_t at = 0;
  while (true) {
    while (at < text.size() && IsSpace(text[at])) ++at;
    if (at == text.size() || text[at] == '\0') break;
    const size_t begin = at++;
    if (IsSymbol(text[begin])) {
      const bool pairs_up = text[begin] == '=' || text[begin] == '!';
      if (pairs_up && at < text.size() && text[at] == '=') ++at;
      const std::string_view symbol = text.substr(begin, at - begin);
      tokens.push_back({SymbolKind(symbol), symbol});
    } else {
      while (at < text.size() && text[at] != '\0' && !IsSymbol(text[at]) && !IsSpace(text[at]))
        ++at;
      const std::string_view word = text.substr(begin, at - begin);
      tokens.push_back({WordKind(word), word});
    }
    // Kubernetes reads a zero byte as the end of the token before it; only a zero byte where a
    // token should begin ends the text.
    if (at < text.size() && text[at] == '\0') ++at;
  }
  tokens.push_back({LabelToken::kEnd, {}});
  return tokens;
}

}  // namespace skiff::object
