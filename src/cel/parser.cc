#include "cel/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cel/arena_span.h"
#include "cel/lexer.h"
#include "cel/macros.h"
#include "cel/unescape.h"

namespace skiff::cel {
namespace {

constexpr std::array<std::string_view, 21> kReserved{
    "as",        "break", "const",  "continue", "else", "false", "for",
    "function",  "if",    "import", "in",       "let",  "loop",  "package",
    "namespace", "null",  "return", "true",     "var",  "void",  "while"};

bool IsReserved(std::string_view name) {
  return std::ranges::find(kReserved, name) != kReserved.end();
}

// A node, and how deep cel-go's visitor goes to make it.
struct Parsed {
  Expr* expr;
  int depth = 0;
};

class Parser {
 public:
  Parser(const Source& source, const ParseOptions& options, Arena& arena,
         std::vector<Issue>& issues)
      : source_(source), options_(options), arena_(arena), issues_(issues) {}

  Expr* Run() {
    const size_t size = source_.code_points().size();
    if (size > kMaxCodePoints) {
      Report(kNowhere, "expression code point size exceeds limit: size: " + std::to_string(size) +
                           ", limit " + std::to_string(kMaxCodePoints));
      return Error(kNowhere);
    }
    tokens_ = Tokenize(source_, issues_);
    const Parsed root = ParseExpr();
    if (!failed_ && Kind() != TokenKind::kEnd) Unexpected("<EOF>");
    if (!failed_ && root.depth > kMaxRecursionDepth) {
      Report(kNowhere, "max recursion depth exceeded");
    }
    return root.expr;
  }

 private:
  // ---- Tokens.
  const Token& Now() const { return tokens_[at_]; }
  TokenKind Kind() const { return tokens_[at_].kind; }
  TokenKind KindAhead(size_t n) const {
    return tokens_[std::min(at_ + n, tokens_.size() - 1)].kind;
  }
  std::string_view TextOf(const Token& token) const {
    return source_.Text(static_cast<size_t>(token.begin), static_cast<size_t>(token.end));
  }
  Token Take() {
    const Token token = Now();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool Accept(TokenKind kind) {
    if (Kind() != kind) return false;
    Take();
    return true;
  }
  bool Expect(TokenKind kind, std::string_view name) {
    if (Accept(kind)) return true;
    Unexpected(name);
    return false;
  }
  // Only the first error is told: what follows it is guesswork.
  void Unexpected(std::string_view expected) {
    if (!failed_) {
      const Token& token = Now();
      const std::string found =
          token.kind == TokenKind::kEnd ? "<EOF>" : std::string(TextOf(token));
      Report(token.begin,
             "Syntax error: mismatched input '" + found + "' expecting " + std::string(expected));
    }
    failed_ = true;
    at_ = tokens_.size() - 1;
  }
  void Report(int32_t position, std::string message) {
    issues_.push_back(source_.At(position, std::move(message)));
  }

  // ---- Nodes.
  Expr* New(ExprKind kind, int32_t position) {
    Expr* expr = new (arena_.Allocate(sizeof(Expr), alignof(Expr))) Expr;
    expr->kind = kind;
    expr->position = position;
    return expr;
  }
  Expr* Error(int32_t position) { return New(ExprKind::kError, position); }
  Parsed Literal(int32_t position, Val value) {
    Expr* expr = New(ExprKind::kLiteral, position);
    expr->literal = value;
    return {expr};
  }
  Expr* Call(std::string_view function, int32_t position, std::initializer_list<Expr*> args) {
    return CallOrMacro(function, position, nullptr, {args.begin(), args.size()});
  }
  Expr* CallOrMacro(std::string_view function, int32_t position, Expr* target,
                    std::span<Expr* const> args) {
    const std::span<Expr*> copy = CopySpan<Expr*>(arena_, args);
    const MacroCall macro{
        arena_,   options_,
        position, function,
        target,   copy,
        copies_,  [this](int32_t at, std::string message) { Report(at, std::move(message)); }};
    if (Expr* expanded = ExpandMacro(macro)) return expanded;
    Expr* expr = New(ExprKind::kCall, position);
    expr->name = function;
    expr->target = target;
    expr->args = copy;
    return expr;
  }

  // Nothing deeper is made, so that what walks the tree may recur.
  bool TooDeep(const Parsed& parsed) {
    if (parsed.depth <= kMaxRecursionDepth) return false;
    if (!failed_) Report(kNowhere, "max recursion depth exceeded");
    failed_ = true;
    at_ = tokens_.size() - 1;
    return true;
  }

  // ---- The grammar, from the loosest operator to the tightest.
  Parsed ParseExpr() {
    if (++expr_depth_ > kMaxRecursionDepth) {
      if (!failed_) {
        Report(kNowhere,
               "expression recursion limit exceeded: " + std::to_string(kMaxRecursionDepth));
      }
      failed_ = true;
      at_ = tokens_.size() - 1;
      --expr_depth_;
      return {Error(kNowhere)};
    }
    Parsed result = ParseOr();
    if (Kind() == TokenKind::kQuestion) {
      const int32_t position = Take().begin;
      const Parsed yes = ParseOr();
      Expect(TokenKind::kColon, "':'");
      const Parsed no = ParseExpr();
      result = {Call("_?_:_", position, {result.expr, yes.expr, no.expr}),
                1 + std::max({result.depth, yes.depth, no.depth})};
    }
    --expr_depth_;
    return result;
  }

  Parsed ParseOr() {
    return ParseLogic(TokenKind::kOr, "_||_", [this] {
      return ParseLogic(TokenKind::kAnd, "_&&_", [this] { return ParseRelation(); });
    });
  }

  template <typename Next>
  Parsed ParseLogic(TokenKind kind, std::string_view function, Next next) {
    Parsed first = next();
    if (Kind() != kind) return first;
    std::vector<Expr*> terms{first.expr};
    std::vector<int32_t> positions;
    int depth = first.depth;
    while (Kind() == kind) {
      positions.push_back(Take().begin);
      const Parsed term = next();
      terms.push_back(term.expr);
      depth = std::max(depth, term.depth);
    }
    return {Balanced(function, terms, positions, 0, positions.size() - 1), depth};
  }
  // A tree of equal branches, so that long chains are not deep.
  Expr* Balanced(std::string_view function, std::span<Expr* const> terms,
                 std::span<const int32_t> positions, size_t low, size_t high) {
    const size_t middle = (low + high + 1) / 2;
    Expr* left =
        middle == low ? terms[middle] : Balanced(function, terms, positions, low, middle - 1);
    Expr* right =
        middle == high ? terms[middle + 1] : Balanced(function, terms, positions, middle + 1, high);
    return Call(function, positions[middle], {left, right});
  }

  static std::string_view RelationOf(TokenKind kind) {
    switch (kind) {
      case TokenKind::kLess:
        return "_<_";
      case TokenKind::kLessEqual:
        return "_<=_";
      case TokenKind::kGreater:
        return "_>_";
      case TokenKind::kGreaterEqual:
        return "_>=_";
      case TokenKind::kEqual:
        return "_==_";
      case TokenKind::kNotEqual:
        return "_!=_";
      case TokenKind::kIn:
        return "@in";
      default:
        return {};
    }
  }
  static std::string_view SumOf(TokenKind kind) {
    if (kind == TokenKind::kPlus) return "_+_";
    return kind == TokenKind::kMinus ? "_-_" : std::string_view();
  }
  static std::string_view ProductOf(TokenKind kind) {
    switch (kind) {
      case TokenKind::kStar:
        return "_*_";
      case TokenKind::kSlash:
        return "_/_";
      case TokenKind::kPercent:
        return "_%_";
      default:
        return {};
    }
  }

  Parsed ParseRelation() {
    return ParseBinary(RelationOf, [this] {
      return ParseBinary(
          SumOf, [this] { return ParseBinary(ProductOf, [this] { return ParseUnary(); }); });
    });
  }
  template <typename Operator, typename Next>
  Parsed ParseBinary(Operator function_of, Next next) {
    Parsed left = next();
    for (std::string_view function = function_of(Kind()); !function.empty() && !TooDeep(left);
         function = function_of(Kind())) {
      const int32_t position = Take().begin;
      const Parsed right = next();
      left = {Call(function, position, {left.expr, right.expr}),
              1 + std::max(left.depth, right.depth)};
    }
    return left;
  }

  Parsed ParseUnary() {
    const TokenKind kind = Kind();
    if (kind != TokenKind::kNot && kind != TokenKind::kMinus) return ParseMember();
    const TokenKind next = KindAhead(1);
    // One sign before a number belongs to the number.
    if (kind == TokenKind::kMinus && (next == TokenKind::kInt || next == TokenKind::kDouble)) {
      return ParseMember();
    }
    const int32_t position = Now().begin;
    size_t count = 0;
    while (Accept(kind)) ++count;
    const Parsed operand = ParseMember();
    if (count % 2 == 0) return operand;
    return {Call(kind == TokenKind::kNot ? "!_" : "-_", position, {operand.expr}), operand.depth};
  }

  Parsed ParseMember() {
    Parsed left = ParsePrimary();
    while (!failed_ && !TooDeep(left)) {
      if (Kind() == TokenKind::kDot) {
        left = ParseSelect(left);
      } else if (Kind() == TokenKind::kLeftBracket) {
        const int32_t position = Take().begin;
        const bool optional = Accept(TokenKind::kQuestion);
        const Parsed index = ParseExpr();
        Expect(TokenKind::kRightBracket, "']'");
        left = {Call(optional ? "_[?_]" : "_[_]", position, {left.expr, index.expr}),
                1 + std::max(left.depth, index.depth)};
      } else {
        break;
      }
    }
    return left;
  }

  Parsed ParseSelect(Parsed operand) {
    const int32_t position = Take().begin;
    const bool optional = Accept(TokenKind::kQuestion);
    if (Kind() == TokenKind::kEscapedIdentifier) {
      Report(Now().begin, "unsupported syntax: '`'");
      Take();
      return {Error(position), operand.depth + 1};
    }
    if (Kind() != TokenKind::kIdentifier) {
      Unexpected("IDENTIFIER");
      return {Error(position), operand.depth};
    }
    const Token name = Take();
    if (!optional && Kind() == TokenKind::kLeftParen) {
      const int32_t open = Take().begin;
      int depth = operand.depth;
      const std::vector<Expr*> args = ParseArguments(depth);
      return {CallOrMacro(TextOf(name), open, operand.expr, args), depth + 1};
    }
    if (optional) {
      Expr* field = New(ExprKind::kLiteral, name.begin);
      field->literal = Val::String(TextOf(name));
      return {Call("_?._", position, {operand.expr, field}), operand.depth + 1};
    }
    Expr* expr = New(ExprKind::kSelect, position);
    expr->target = operand.expr;
    expr->name = TextOf(name);
    return {expr, operand.depth + 1};
  }

  // Behind '(' and up to ')'.
  std::vector<Expr*> ParseArguments(int& depth) {
    std::vector<Expr*> args;
    if (Accept(TokenKind::kRightParen)) return args;
    do {
      const Parsed arg = ParseExpr();
      args.push_back(arg.expr);
      depth = std::max(depth, arg.depth);
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, "')'");
    return args;
  }

  Parsed ParsePrimary() {
    const Token token = Now();
    switch (token.kind) {
      case TokenKind::kDot:
      case TokenKind::kIdentifier:
        return ParseName();
      case TokenKind::kLeftParen: {
        Take();
        const Parsed inner = ParseExpr();
        if (!failed_ && Kind() != TokenKind::kRightParen) Unexpected("')'");
        Accept(TokenKind::kRightParen);
        return inner;
      }
      case TokenKind::kLeftBracket:
        return ParseList();
      case TokenKind::kLeftBrace:
        return ParseMap();
      case TokenKind::kTrue:
        Take();
        return Literal(token.begin, Val::Bool(true));
      case TokenKind::kFalse:
        Take();
        return Literal(token.begin, Val::Bool(false));
      case TokenKind::kNull:
        Take();
        return Literal(token.begin, Val::Null());
      case TokenKind::kMinus:
      case TokenKind::kInt:
      case TokenKind::kDouble:
        return ParseNumber();
      case TokenKind::kUint:
        return ParseUint();
      case TokenKind::kString:
      case TokenKind::kBytes:
        return ParseText();
      default:
        Unexpected(
            "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, "
            "NUM_UINT, STRING, BYTES, IDENTIFIER}");
        return {Error(token.begin)};
    }
  }

  // Whether a dotted name and '{' follow: a struct.
  bool StructAhead() const {
    size_t ahead = Kind() == TokenKind::kDot ? 1 : 0;
    while (KindAhead(ahead) == TokenKind::kIdentifier) {
      const TokenKind next = KindAhead(ahead + 1);
      if (next == TokenKind::kLeftBrace) return true;
      if (next != TokenKind::kDot) return false;
      ahead += 2;
    }
    return false;
  }

  Parsed ParseName() {
    if (StructAhead()) return ParseStruct();
    const int32_t start = Now().begin;
    const bool dot = Accept(TokenKind::kDot);
    if (Kind() != TokenKind::kIdentifier) {
      Unexpected("IDENTIFIER");
      return {Error(start)};
    }
    const Token token = Take();
    const std::string_view text = TextOf(token);
    std::string_view name = dot ? arena_.Copy("." + std::string(text)) : text;
    if (Kind() == TokenKind::kLeftParen) {
      const int32_t open = Take().begin;
      int depth = 0;
      const std::vector<Expr*> args = ParseArguments(depth);
      if (IsReserved(text)) {
        Report(start, "reserved identifier: " + std::string(text));
        return {Error(start), depth};
      }
      return {CallOrMacro(name, open, nullptr, args), depth};
    }
    if (IsReserved(text)) {
      Report(start, "reserved identifier: " + std::string(text));
      return {Error(start)};
    }
    Expr* expr = New(ExprKind::kIdent, token.begin);
    expr->name = name;
    return {expr};
  }

  Parsed ParseStruct() {
    std::string name;
    while (Kind() != TokenKind::kLeftBrace) name += TextOf(Take());
    Expr* expr = New(ExprKind::kStruct, Take().begin);
    expr->name = arena_.Copy(name);
    Entries entries;
    while (Kind() != TokenKind::kRightBrace) {
      entries.optionals.push_back(Accept(TokenKind::kQuestion));
      if (Kind() == TokenKind::kEscapedIdentifier) {
        Report(Now().begin, "unsupported syntax: '`'");
      } else if (Kind() != TokenKind::kIdentifier) {
        Unexpected("IDENTIFIER");
        return {expr};
      }
      entries.fields.push_back(TextOf(Take()));
      ParseEntryValue(entries);
      if (!Accept(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBrace, "{'}', ','}");
    return Finish(expr, entries);
  }

  Parsed ParseList() {
    Expr* expr = New(ExprKind::kList, Take().begin);
    Entries entries;
    Accept(TokenKind::kComma);
    while (Kind() != TokenKind::kRightBracket) {
      entries.optionals.push_back(Accept(TokenKind::kQuestion));
      const Parsed item = ParseExpr();
      entries.args.push_back(item.expr);
      entries.depth = std::max(entries.depth, item.depth);
      if (!Accept(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBracket, "{']', ','}");
    return Finish(expr, entries);
  }

  Parsed ParseMap() {
    Expr* expr = New(ExprKind::kMap, Take().begin);
    Entries entries;
    Accept(TokenKind::kComma);
    while (Kind() != TokenKind::kRightBrace) {
      entries.optionals.push_back(Accept(TokenKind::kQuestion));
      const Parsed key = ParseExpr();
      entries.args.push_back(key.expr);
      entries.depth = std::max(entries.depth, key.depth);
      ParseEntryValue(entries);
      if (!Accept(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBrace, "{'}', ','}");
    return Finish(expr, entries);
  }

  struct Entries {
    std::vector<Expr*> args;
    std::vector<char> optionals;
    std::vector<std::string_view> fields;
    std::vector<int32_t> positions;
    int depth = 0;
  };
  void ParseEntryValue(Entries& entries) {
    entries.positions.push_back(Now().begin);
    Expect(TokenKind::kColon, "':'");
    const Parsed value = ParseExpr();
    entries.args.push_back(value.expr);
    entries.depth = std::max(entries.depth, value.depth);
  }
  Parsed Finish(Expr* expr, const Entries& entries) {
    expr->args = CopySpan<Expr*>(arena_, entries.args);
    bool* optionals = arena_.AllocateArray<bool>(entries.optionals.size());
    for (size_t i = 0; i < entries.optionals.size(); ++i) optionals[i] = entries.optionals[i] != 0;
    expr->optionals = {optionals, entries.optionals.size()};
    expr->fields = CopySpan<std::string_view>(arena_, entries.fields);
    expr->entry_positions = CopySpan<int32_t>(arena_, entries.positions);
    return {expr, entries.depth};
  }

  Parsed ParseNumber() {
    const int32_t start = Now().begin;
    std::string text;
    if (Accept(TokenKind::kMinus)) text = "-";
    const Token token = Take();
    std::string_view digits = TextOf(token);
    if (token.kind == TokenKind::kDouble) {
      text += digits;
      double value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      // Too small is zero in Go, too large is an error; from_chars tells neither from the other.
      if (error == std::errc::result_out_of_range) value = std::strtod(text.c_str(), nullptr);
      if (std::isinf(value)) {
        Report(start, "invalid double literal");
        return {Error(start)};
      }
      return Literal(start, Val::Double(value));
    }
    int base = 10;
    if (token.kind == TokenKind::kInt && digits.starts_with("0x")) {
      base = 16;
      digits.remove_prefix(2);
    }
    text += digits;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (token.kind != TokenKind::kInt || error != std::errc() || end != text.data() + text.size()) {
      if (token.kind != TokenKind::kInt) {
        Unexpected("NUM_INT");
      } else {
        Report(start, "invalid int literal");
      }
      return {Error(start)};
    }
    return Literal(start, Val::Int(value));
  }

  Parsed ParseUint() {
    const Token token = Take();
    std::string_view digits = TextOf(token);
    digits.remove_suffix(1);
    int base = 10;
    if (digits.starts_with("0x")) {
      base = 16;
      digits.remove_prefix(2);
    }
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc()) {
      Report(token.begin, "invalid uint literal");
      return {Error(token.begin)};
    }
    return Literal(token.begin, Val::Uint(value));
  }

  Parsed ParseText() {
    const Token token = Take();
    const bool bytes = token.kind == TokenKind::kBytes;
    const Unescaped value = Unescape(TextOf(token).substr(bytes ? 1 : 0), bytes);
    if (!value.error.empty()) Report(token.begin, std::string(value.error));
    const std::string_view text = arena_.Copy(value.text);
    return Literal(token.begin, bytes ? Val::Bytes(text) : Val::String(text));
  }

  const Source& source_;
  const ParseOptions& options_;
  Arena& arena_;
  std::vector<Issue>& issues_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int expr_depth_ = 0;
  size_t copies_ = 0;
  bool failed_ = false;
};

}  // namespace

Expr* Parse(const Source& source, const ParseOptions& options, Arena& arena,
            std::vector<Issue>& issues) {
  return Parser(source, options, arena, issues).Run();
}

}  // namespace skiff::cel
