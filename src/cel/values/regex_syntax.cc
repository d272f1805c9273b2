#include "cel/values/regex_syntax.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include <re2/re2.h>

#include "base/hex.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cel/values/regex_groups.h"

namespace skiff::cel {
namespace {

// Faults, in Go's words.
constexpr std::string_view kInvalidCharRange = "invalid character class range";
constexpr std::string_view kInvalidEscape = "invalid escape sequence";
constexpr std::string_view kInvalidNamedCapture = "invalid named capture";
constexpr std::string_view kInvalidPerlOp = "invalid or unsupported Perl syntax";
constexpr std::string_view kInvalidRepeatOp = "invalid nested repetition operator";
constexpr std::string_view kInvalidRepeatSize = "invalid repeat count";
constexpr std::string_view kInvalidUtf8 = "invalid UTF-8";
constexpr std::string_view kMissingBracket = "missing closing ]";
constexpr std::string_view kMissingParen = "missing closing )";
constexpr std::string_view kMissingArgument = "missing argument to repetition operator";
constexpr std::string_view kTrailingBackslash = "trailing backslash at end of expression";
constexpr std::string_view kUnexpectedParen = "unexpected )";
constexpr std::string_view kNestingDepth = "expression nests too deeply";
constexpr std::string_view kTooLarge = "expression too large";

std::unexpected<Status> Fault(std::string_view what, std::string_view where) {
  return BadRequest("error parsing regexp: " + std::string(what) + ": `" + std::string(where) +
                    "`");
}

bool IsWord(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsOctal(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '7'; }

int HexValue(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
  return -1;
}

bool IsPosixClass(std::string_view name) {
  constexpr std::string_view kNames[] = {"alnum", "alpha", "ascii", "blank", "cntrl",
                                         "digit", "graph", "lower", "print", "punct",
                                         "space", "upper", "word",  "xdigit"};
  if (name.starts_with('^')) name.remove_prefix(1);
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// What one expression is, as far as bounds ask: how deep it nests, and how often the most repeated
// thing in it repeats.
struct Shape {
  int height = 1;
  int repeats = 1;

  void Include(const Shape& other) {
    height = std::max(height, other.height);
    repeats = std::max(repeats, other.repeats);
  }
};

// Several shapes in a row, or as alternatives: one is only itself.
struct Shapes {
  int count = 0;
  Shape all;

  void Add(const Shape& shape) {
    ++count;
    all.Include(shape);
  }
  Shape Together() const { return {count > 1 ? all.height + 1 : all.height, all.repeats}; }
};

// An open group, or the whole pattern.
struct Group {
  bool captures = false;
  Shapes alternatives;
  Shapes before;              // of this alternative, but for the last
  std::optional<Shape> last;  // what a repetition would repeat
  bool last_is_literal = false;

  void EndItem() {
    if (last) before.Add(*last);
    last.reset();
    last_is_literal = false;
  }
  void EndAlternative() {
    EndItem();
    alternatives.Add(before.Together());
    before = {};
  }
};

// Goes through a pattern from left to right as Go's parser does, so that the same fault is found
// first, and writes it as RE2 takes it.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern), rest_(pattern), groups_(1) {}

  Result<std::string> Run() {
    while (!rest_.empty()) {
      std::string_view repeat;
      SKIFF_RETURN_IF_ERROR(Step(repeat));
      last_repeat_ = repeat;
    }
    groups_.back().EndAlternative();
    SKIFF_RETURN_IF_ERROR(CheckHeight(groups_.back().alternatives.Together()));
    if (groups_.size() != 1) return Fault(kMissingParen, pattern_);
    return std::move(out_);
  }

 private:
  // What was read since `from`, which began at the rest of then.
  std::string_view Since(std::string_view from) const {
    return from.substr(0, from.size() - rest_.size());
  }

  Result<char32_t> NextRune() {
    const std::string_view before = rest_;
    if (rest_.empty()) return kReplacementCharacter;
    const char32_t c = TakeCodePoint(rest_);
    if (c == kReplacementCharacter && before.size() - rest_.size() == 1) {
      return Fault(kInvalidUtf8, before);
    }
    return c;
  }

  Result<void> CheckHeight(const Shape& shape) const {
    if (shape.height > kMaxRegexDepth) return Fault(kNestingDepth, pattern_);
    return {};
  }

  // An expression that is one thing. Literals in a row are one.
  void Push(const Shape& shape, bool is_literal = false) {
    Group& group = groups_.back();
    if (!(is_literal && group.last_is_literal)) group.EndItem();
    group.last = shape;
    group.last_is_literal = is_literal;
  }

  Result<void> Step(std::string_view& repeat) {
    const std::string_view before = rest_;
    switch (rest_[0]) {
      case '(':
        if (rest_.starts_with("(?")) return StepPerlGroup();
        groups_.push_back({.captures = true});
        break;
      case '|':
        groups_.back().EndAlternative();
        break;
      case ')':
        SKIFF_RETURN_IF_ERROR(CloseGroup());
        break;
      case '^':
      case '$':
      case '.':
        Push({});
        break;
      case '[':
        return StepClass();
      case '*':
      case '+':
      case '?':
        repeat = before;
        rest_.remove_prefix(1);
        return Repeat(before, std::nullopt);
      case '{':
        return StepCount(repeat);
      case '\\':
        return StepEscape();
      default: {
        SKIFF_RETURN_IF_ERROR(NextRune());
        Push({}, true);
        out_ += Since(before);
        return {};
      }
    }
    out_ += rest_[0];
    rest_.remove_prefix(1);
    return {};
  }

  Result<void> CloseGroup() {
    Group& group = groups_.back();
    group.EndAlternative();
    Shape shape = group.alternatives.Together();
    SKIFF_RETURN_IF_ERROR(CheckHeight(shape));
    if (groups_.size() == 1) return Fault(kUnexpectedParen, pattern_);
    if (group.captures) ++shape.height;
    groups_.pop_back();
    Push(shape);
    return CheckHeight(shape);
  }

  struct Count {
    int min = 0;
    int max = 0;  // -1: without end
  };

  // The operator has been read, but for the ? that may follow it.
  Result<void> Repeat(std::string_view before, std::optional<Count> count) {
    if (rest_.starts_with('?')) rest_.remove_prefix(1);
    if (!last_repeat_.empty()) return Fault(kInvalidRepeatOp, Since(last_repeat_));
    Group& group = groups_.back();
    if (!group.last) return Fault(kMissingArgument, Since(before));
    if (group.last_is_literal) {
      // Only the last character is repeated.
      group.EndItem();
      group.last = Shape{};
    }
    Shape& shape = *group.last;
    ++shape.height;
    SKIFF_RETURN_IF_ERROR(CheckHeight(shape));
    if (count) {
      const int times = count->max < 0 ? count->min : count->max;
      if (times > 0) shape.repeats *= times;
      if (count->max == 0) shape.repeats = 1;
      if (times >= 2 && shape.repeats > kMaxRegexRepeat) {
        return Fault(kInvalidRepeatSize, Since(before));
      }
    }
    out_ += Since(before);
    return {};
  }

  // Digits without leading zeros, or -1 for too many of them.
  std::optional<int> Number() {
    if (rest_.empty() || !IsDigit(rest_[0])) return std::nullopt;
    if (rest_.size() >= 2 && rest_[0] == '0' && IsDigit(rest_[1])) return std::nullopt;
    int value = 0;
    for (; !rest_.empty() && IsDigit(rest_[0]); rest_.remove_prefix(1)) {
      if (value >= 0) value = value >= 100'000'000 ? -1 : value * 10 + (rest_[0] - '0');
    }
    return value;
  }

  // {n}, {n,} or {n,m}.
  std::optional<Count> TakeCount() {
    rest_.remove_prefix(1);
    const auto min = Number();
    if (!min) return std::nullopt;
    Count out{*min, *min};
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      if (rest_.starts_with('}')) {
        out.max = -1;
      } else {
        const auto max = Number();
        if (!max) return std::nullopt;
        out.max = *max;
        if (*max < 0) out.min = -1;
      }
    }
    if (!rest_.starts_with('}')) return std::nullopt;
    rest_.remove_prefix(1);
    return out;
  }

  Result<void> StepCount(std::string_view& repeat) {
    const std::string_view before = rest_;
    const auto count = TakeCount();
    if (!count) {
      // A brace that begins no count is a character.
      rest_ = before.substr(1);
      Push({}, true);
      out_ += "\\{";
      return {};
    }
    if (count->min < 0 || count->min > kMaxRegexRepeat || count->max > kMaxRegexRepeat ||
        (count->max >= 0 && count->min > count->max)) {
      return Fault(kInvalidRepeatSize, Since(before));
    }
    repeat = before;
    return Repeat(before, count);
  }

  // What begins with (? : named groups, flags, groups that do not capture.
  Result<void> StepPerlGroup() {
    const std::string_view before = rest_;
    const bool python = before.size() > 4 && before.starts_with("(?P<");
    const bool perl = before.size() > 3 && before.starts_with("(?<");
    if (python || perl) return NamedGroup(python ? 4 : 3);
    rest_.remove_prefix(2);
    bool negative = false;
    bool saw_flag = false;
    while (!rest_.empty()) {
      SKIFF_ASSIGN_OR_RETURN(const char32_t c, NextRune());
      if (c == 'i' || c == 'm' || c == 's' || c == 'U') {
        saw_flag = true;
      } else if (c == '-' && !negative) {
        negative = true;
        saw_flag = false;
      } else if ((c == ':' || c == ')') && (!negative || saw_flag)) {
        if (c == ':') groups_.push_back({});
        out_ += Since(before);
        return {};
      } else {
        break;
      }
    }
    return Fault(kInvalidPerlOp, Since(before));
  }

  // Nobody asks for the name, and RE2 has other rules for it: the group is written without.
  Result<void> NamedGroup(size_t name_begin) {
    const std::string_view before = rest_;
    const size_t end = before.find('>');
    if (end == before.npos) {
      SKIFF_RETURN_IF_ERROR(CheckUtf8(before));
      return Fault(kInvalidNamedCapture, before);
    }
    const std::string_view name = before.substr(name_begin, end - name_begin);
    SKIFF_RETURN_IF_ERROR(CheckUtf8(name));
    const bool fits = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '_' || IsWord(static_cast<unsigned char>(c));
    });
    if (!fits) return Fault(kInvalidNamedCapture, before.substr(0, end + 1));
    rest_.remove_prefix(end + 1);
    groups_.push_back({.captures = true});
    out_ += '(';
    return {};
  }

  Result<void> CheckUtf8(std::string_view text) const {
    while (!text.empty()) {
      const std::string_view before = text;
      if (TakeCodePoint(text) == kReplacementCharacter && before.size() - text.size() == 1) {
        return Fault(kInvalidUtf8, before);
      }
    }
    return {};
  }

  Result<void> StepEscape() {
    const std::string_view before = rest_;
    const char c = rest_.size() >= 2 ? rest_[1] : '\0';
    if (c == 'A' || c == 'b' || c == 'B' || c == 'z') {
      rest_.remove_prefix(2);
      Push({});
    } else if (c == 'C') {
      return Fault(kInvalidEscape, rest_.substr(0, 2));
    } else if (c == 'Q') {
      return StepQuoted();
    } else if (c == 'p' || c == 'P') {
      Push({});
      return UnicodeClass(false);
    } else if (TakePerlClass()) {
      Push({});
    } else {
      SKIFF_RETURN_IF_ERROR(Escape());
      Push({}, true);
    }
    out_ += Since(before);
    return {};
  }

  // \Q…\E: all of it as it is.
  Result<void> StepQuoted() {
    rest_.remove_prefix(2);
    const size_t end = rest_.find("\\E");
    std::string_view quoted = rest_.substr(0, end);
    const std::string_view behind = end == rest_.npos ? std::string_view() : rest_.substr(end + 2);
    SKIFF_RETURN_IF_ERROR(CheckUtf8(quoted));
    while (!quoted.empty()) {
      const std::string_view one = quoted;
      TakeCodePoint(quoted);
      const std::string_view character = one.substr(0, one.size() - quoted.size());
      out_ += re2::RE2::QuoteMeta(re2::StringPiece(character.data(), character.size()));
      Push({}, true);
    }
    rest_ = behind;
    return {};
  }

  bool TakePerlClass() {
    constexpr std::string_view kClasses = "dDsSwW";
    if (rest_.size() < 2 || rest_[0] != '\\' || kClasses.find(rest_[1]) == kClasses.npos) {
      return false;
    }
    rest_.remove_prefix(2);
    return true;
  }

  // A backslash and what it makes one character of.
  Result<char32_t> Escape() {
    const std::string_view before = rest_;
    rest_.remove_prefix(1);
    if (rest_.empty()) return Fault(kTrailingBackslash, "");
    SKIFF_ASSIGN_OR_RETURN(const char32_t c, NextRune());
    const auto invalid = [&] { return Fault(kInvalidEscape, Since(before)); };
    if (c < 0x80 && !IsWord(c)) return c;
    if (c >= '0' && c <= '7') {
      if (c != '0' && !IsOctal(rest_)) return invalid();  // \1 would refer to a group
      char32_t value = c - '0';
      for (int i = 1; i < 3 && IsOctal(rest_); ++i, rest_.remove_prefix(1)) {
        value = value * 8 + static_cast<char32_t>(rest_[0] - '0');
      }
      return value;
    }
    if (c == 'x' && !rest_.empty()) return HexEscape(before);
    constexpr std::u32string_view kNamed = U"afnrtv";
    constexpr std::u32string_view kValues = U"\a\f\n\r\t\v";
    const size_t named = kNamed.find(c);
    if (named == kNamed.npos) return invalid();
    return kValues[named];
  }

  // \x7F or \x{10FFFF}.
  Result<char32_t> HexEscape(std::string_view before) {
    const auto invalid = [&] { return Fault(kInvalidEscape, Since(before)); };
    SKIFF_ASSIGN_OR_RETURN(char32_t c, NextRune());
    if (c != '{') {
      const int high = HexValue(c);
      SKIFF_ASSIGN_OR_RETURN(c, NextRune());
      const int low = HexValue(c);
      if (high < 0 || low < 0) return invalid();
      return static_cast<char32_t>(high * 16 + low);
    }
    char32_t value = 0;
    for (bool empty = true;; empty = false) {
      if (rest_.empty()) return invalid();
      SKIFF_ASSIGN_OR_RETURN(c, NextRune());
      if (c == '}' && !empty) return value;
      const int digit = HexValue(c);
      if (digit < 0) return invalid();
      value = value * 16 + static_cast<char32_t>(digit);
      if (value > 0x10FFFF) return invalid();
    }
  }

  // \pN or \p{Name}, within brackets or by itself.
  Result<void> UnicodeClass(bool in_class) {
    const std::string_view before = rest_;
    bool negative = rest_[1] == 'P';
    rest_.remove_prefix(2);
    SKIFF_ASSIGN_OR_RETURN(const char32_t c, NextRune());
    std::string_view name;
    if (c != '{') {
      name = Since(before).substr(2);
    } else {
      const size_t end = before.find('}');
      if (end == before.npos) {
        SKIFF_RETURN_IF_ERROR(CheckUtf8(before));
        return Fault(kInvalidCharRange, before);
      }
      name = before.substr(3, end - 3);
      rest_ = before.substr(end + 1);
      SKIFF_RETURN_IF_ERROR(CheckUtf8(name));
    }
    if (name.starts_with('^')) {
      negative = !negative;
      name.remove_prefix(1);
    }
    const auto written = unicode_groups_.Write(name, negative, in_class);
    if (!written) return Fault(kInvalidCharRange, Since(before));
    if (++unicode_uses_ > kMaxUnicodeGroups) return Fault(kTooLarge, pattern_);
    out_ += *written;
    return {};
  }

  Result<void> StepClass() {
    const std::string_view before = rest_;
    out_ += '[';
    rest_.remove_prefix(1);
    if (rest_.starts_with('^')) {
      out_ += '^';
      rest_.remove_prefix(1);
    }
    for (bool first = true; rest_.empty() || rest_[0] != ']' || first; first = false) {
      SKIFF_RETURN_IF_ERROR(ClassItem(before));
    }
    rest_.remove_prefix(1);
    out_ += ']';
    Push({});
    return {};
  }

  Result<void> ClassItem(std::string_view whole) {
    const std::string_view before = rest_;
    if (rest_.size() > 2 && rest_.starts_with("[:") && !class_names_end_) {
      const size_t end = rest_.find(":]", 2);
      class_names_end_ = end == rest_.npos;
      if (!class_names_end_) {
        rest_ = rest_.substr(end + 2);
        if (!IsPosixClass(before.substr(2, end - 2))) {
          return Fault(kInvalidCharRange, Since(before));
        }
        out_ += Since(before);
        return {};
      }
    }
    if (rest_.starts_with("\\p") || rest_.starts_with("\\P")) return UnicodeClass(true);
    if (TakePerlClass()) {
      out_ += Since(before);
      return {};
    }
    SKIFF_ASSIGN_OR_RETURN(const char32_t low, ClassCharacter(whole));
    char32_t high = low;
    if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
      rest_.remove_prefix(1);
      SKIFF_ASSIGN_OR_RETURN(high, ClassCharacter(whole));
      if (high < low) return Fault(kInvalidCharRange, Since(before));
    }
    AppendClassCharacter(low);
    if (high != low) {
      out_ += '-';
      AppendClassCharacter(high);
    }
    return {};
  }

  Result<char32_t> ClassCharacter(std::string_view whole) {
    if (rest_.empty()) return Fault(kMissingBracket, whole);
    if (rest_[0] == '\\') return Escape();
    return NextRune();
  }

  // In a form that means the same wherever it stands in a class.
  void AppendClassCharacter(char32_t c) {
    if (IsWord(c) || c >= 0x80) {
      AppendUtf8(c, out_);
      return;
    }
    (out_ += "\\x") += HexByte(static_cast<unsigned char>(c));
  }

  const std::string_view pattern_;
  std::string_view rest_;
  std::string_view last_repeat_;  // from the repetition that was read last, if it was just now
  std::vector<Group> groups_;
  UnicodeGroups unicode_groups_;
  int unicode_uses_ = 0;
  bool class_names_end_ = false;  // no :] is left
  std::string out_;
};

}  // namespace

Result<std::string> TranslateGoRegex(std::string_view pattern) { return Translator(pattern).Run(); }

}  // namespace skiff::cel
