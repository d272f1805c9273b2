// The text of an expression, and where in it something stands.
//
// Positions are offsets that count code points from 0; kNowhere is that of an error which belongs
// to no one place, such as a limit. Lines count from 1 and columns from 0, in code points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::cel {

inline constexpr int32_t kNowhere = -1;

struct Issue {
  int32_t position = kNowhere;
  int32_t line = -1;
  int32_t column = -1;
  std::string message;
};

class Source {
 public:
  explicit Source(std::string_view text);

  std::string_view text() const { return text_; }
  // One per code point; a byte that is no UTF-8 counts as U+FFFD.
  const std::vector<char32_t>& code_points() const { return code_points_; }
  // The bytes of code points from `begin` to `end`.
  std::string_view Text(size_t begin, size_t end) const {
    return std::string_view(text_).substr(offsets_[begin], offsets_[end] - offsets_[begin]);
  }
  Issue At(int32_t position, std::string message) const;
  // "ERROR: <input>:1:3: …" with the line and a caret below, as kubectl shows it.
  std::string Display(const Issue& issue) const;

 private:
  std::string text_;
  std::vector<char32_t> code_points_;
  std::vector<uint32_t> offsets_;  // of each code point in bytes, and the end
  std::vector<int32_t> line_starts_;
};

// By position, those of the same position in the order in which they were found.
void SortIssues(std::vector<Issue>& issues);
std::string DisplayIssues(const Source& source, const std::vector<Issue>& issues);

}  // namespace skiff::cel
