// CEL text to tokens: the longest token at each place, as the grammar of cel-go 0.26 has it.
//
// White space and comments are left out. What begins no token is reported and skipped, so that
// the parser still sees the rest.
#pragma once

#include <vector>

#include "cel/source.h"

namespace skiff::cel {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kEscapedIdentifier,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  int32_t begin = 0;
  int32_t end = 0;
};

// The last token is kEnd.
std::vector<Token> Tokenize(const Source& source, std::vector<Issue>& issues);

}  // namespace skiff::cel
