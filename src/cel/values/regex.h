// Regular expressions of CEL: Go's syntax, matched by RE2, from which Go's package descends.
//
// The two differ in little: what Go refuses is refused here first, with Go's words
// (regex_syntax.h), and the few things that only Go takes are rewritten. Matching takes time linear
// in the text; the memory of a program is bounded by kMaxRegexProgramBytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace re2 {
class RE2;
}

namespace skiff::cel {

inline constexpr int64_t kMaxRegexProgramBytes = 32 * 1024 * 1024;

// Immutable; threads may share one.
class Regex {
 public:
  // Errors are Go's: error parsing regexp: missing closing ): `(`
  // find() and findAll() put "Illegal regex: " in front, unless the pattern is a constant.
  static Result<Regex> Compile(std::string_view pattern);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // matches(): anywhere in the text.
  bool Matches(std::string_view text) const;
  // find(): the leftmost match; empty if there is none. A view of `text`.
  std::string_view Find(std::string_view text) const;
  // findAll(): matches that do not overlap, at most `limit` of them, or all if that is negative.
  // Views of `text`.
  std::vector<std::string_view> FindAll(std::string_view text, int64_t limit = -1) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> program);

  std::unique_ptr<re2::RE2> program_;
};

}  // namespace skiff::cel
