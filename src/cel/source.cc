#include "cel/source.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace skiff::cel {

Source::Source(std::string_view text) : text_(text) {
  line_starts_.push_back(0);
  for (std::string_view rest = text_; !rest.empty();) {
    offsets_.push_back(static_cast<uint32_t>(text_.size() - rest.size()));
    code_points_.push_back(TakeCodePoint(rest));
    if (code_points_.back() == '\n')
      line_starts_.push_back(static_cast<int32_t>(code_points_.size()));
  }
  offsets_.push_back(static_cast<uint32_t>(text_.size()));
}

Issue Source::At(int32_t position, std::string message) const {
  Issue issue{.position = position, .message = std::move(message)};
  if (position == kNowhere) return issue;
  const auto next = std::ranges::upper_bound(line_starts_, position);
  issue.line = static_cast<int32_t>(next - line_starts_.begin());
  issue.column = position - *(next - 1);
  return issue;
}

std::string Source::Display(const Issue& issue) const {
  std::string out = "ERROR: <input>:" + std::to_string(issue.line) + ":" +
                    std::to_string(issue.column + 1) + ": " + issue.message;
  if (issue.line < 1) return out;
  const auto begin = static_cast<size_t>(line_starts_[static_cast<size_t>(issue.line) - 1]);
  const size_t end = std::cmp_less(issue.line, line_starts_.size())
                         ? static_cast<size_t>(line_starts_[static_cast<size_t>(issue.line)]) - 1
                         : code_points_.size();
  std::string line(Text(begin, end));
  std::ranges::replace(line, '\t', ' ');
  out += "\n | " + line + "\n | ";
  // Below a character of more than one byte stands a dot that is as wide, as cel-go has it.
  for (size_t i = begin; i < end && std::cmp_less(i, begin + static_cast<size_t>(issue.column));
       ++i) {
    out += offsets_[i + 1] - offsets_[i] > 1 ? "．" : ".";
  }
  const size_t at = begin + static_cast<size_t>(issue.column);
  out += at < end && offsets_[at + 1] - offsets_[at] > 1 ? "＾" : "^";
  return out;
}

void SortIssues(std::vector<Issue>& issues) {
  std::ranges::stable_sort(issues, [](const Issue& a, const Issue& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
}

std::string DisplayIssues(const Source& source, const std::vector<Issue>& issues) {
  std::string out;
  for (const Issue& issue : issues) {
    if (!out.empty()) out += '\n';
    out += source.Display(issue);
  }
  return out;
}

}  // namespace skiff::cel
