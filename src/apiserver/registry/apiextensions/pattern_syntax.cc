#include "apiserver/registry/apiextensions/pattern_syntax.h"

#include <cstdint>
#include <optional>

#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr int64_t kMaxRepetitions = 1000;

class Scanner {
 public:
  explicit Scanner(std::string_view pattern) : rest_(pattern) {}

  std::string_view Scan() {
    while (!rest_.empty()) {
      const std::string_view problem = Next();
      if (!problem.empty()) return problem;
    }
    return depth_ > 0 ? "missing closing )" : "";
  }

 private:
  std::string_view Next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
      case '\\':
        return Escape();
      case '[':
        return Class();
      case '(':
        return Group();
      case ')':
        repeatable_ = true;
        return depth_-- > 0 ? "" : "unexpected )";
      case '|':
        repeatable_ = false;
        return {};
      case '*':
      case '+':
      case '?':
        return Repeat();
      case '{':
        return Count();
      default:
        repeatable_ = true;
        return {};
    }
  }

  std::string_view Escape() {
    if (rest_.empty()) return "trailing backslash at end of expression";
    const char c = rest_.front();
    rest_.remove_prefix(1);
    repeatable_ = true;
    if (c >= '1' && c <= '9') return "invalid escape sequence";
    if (c != 'Q') return {};
    const size_t end = rest_.find("\\E");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    return {};
  }

  std::string_view Class() {
    if (rest_.starts_with('^')) rest_.remove_prefix(1);
    for (bool first = true; !rest_.empty(); first = false) {
      const char c = rest_.front();
      if (rest_.starts_with("[:")) {
        const size_t end = rest_.find(":]");
        rest_.remove_prefix(end == std::string_view::npos ? 1 : end + 2);
        continue;
      }
      rest_.remove_prefix(c == '\\' && rest_.size() > 1 ? 2 : 1);
      if (c == ']' && !first) {
        repeatable_ = true;
        return {};
      }
    }
    return "missing closing ]";
  }

  std::string_view Group() {
    ++depth_;
    repeatable_ = false;
    if (!rest_.starts_with('?')) return {};
    for (const std::string_view looks : {"?=", "?!", "?<=", "?<!"}) {
      if (rest_.starts_with(looks)) return "invalid or unsupported Perl syntax";
    }
    // Flags, or a name: up to the colon, the closing bracket or the end of the group.
    const size_t end = rest_.find_first_of(":)>");
    if (end == std::string_view::npos) return "missing argument to group";
    rest_.remove_prefix(rest_[end] == ')' ? end : end + 1);
    return {};
  }

  std::string_view Repeat() {
    if (!repeatable_) return "missing argument to repetition operator";
    if (rest_.starts_with('?')) rest_.remove_prefix(1);
    repeatable_ = false;
    return {};
  }

  std::optional<int64_t> Number() {
    int64_t number = 0;
    size_t digits = 0;
    while (digits < rest_.size() && IsDigit(rest_[digits]) && number <= kMaxRepetitions) {
      number = number * 10 + (rest_[digits++] - '0');
    }
    if (digits == 0) return std::nullopt;
    rest_.remove_prefix(digits);
    return number;
  }

  // {n}, {n,} or {n,m}; anything else is a brace.
  std::string_view Count() {
    const std::string_view before = rest_;
    const std::optional<int64_t> least = Number();
    std::optional<int64_t> most = least;
    if (least && rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      most = Number();
    }
    if (!least || !rest_.starts_with('}')) {
      rest_ = before;
      repeatable_ = true;
      return {};
    }
    rest_.remove_prefix(1);
    if (*least > kMaxRepetitions || most.value_or(*least) > kMaxRepetitions ||
        most.value_or(*least) < *least) {
      return "invalid repeat count";
    }
    return Repeat();
  }

  std::string_view rest_;
  int64_t depth_ = 0;
  bool repeatable_ = false;
};

}  // namespace

std::string_view ProblemOfPattern(std::string_view pattern) { return Scanner(pattern).Scan(); }

}  // namespace skiff::apiserver
