#include "apiserver/validation/internal_diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apiserver/validation/internal_form.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kContext = 3;
// Of one object, and pairs of lines in all that are looked at: objects whose lines are mostly the
// same have the square of them, again and again.
constexpr size_t kMaxLines = 4000;
constexpr size_t kMaxPairs = 10'000'000;

using Lines = std::vector<std::string>;

// JSON as Go indents it, with one space for each level.
Lines IndentedLines(std::string_view json) {
  Lines lines(1);
  size_t depth = 0;
  bool in_text = false;
  const auto begin_line = [&] { lines.emplace_back(depth, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      lines.back() += c;
      if (c == '\\') lines.back() += json[++i];
      in_text = c != '"';
    } else if ((c == '{' || c == '[') && json[i + 1] != '}' && json[i + 1] != ']') {
      lines.back() += c;
      ++depth;
      begin_line();
    } else if ((c == '}' || c == ']') && json[i - 1] != '{' && json[i - 1] != '[') {
      --depth;
      begin_line();
      lines.back() += c;
    } else {
      in_text = c == '"';
      lines.back() += c;
      if (c == ':') lines.back() += ' ';
      if (c == ',') begin_line();
    }
  }
  return lines;
}

struct Block {
  size_t a, b, size;
};

struct Span {
  size_t a_begin, a_end, b_begin, b_end;
};

// Ratcliff and Obershelp: the longest stretch that both have, and so on before and behind it.
class Matcher {
 public:
  Matcher(const Lines& a, const Lines& b)
      : a_(a), lengths_(b.size() + 1), next_lengths_(b.size() + 1) {
    for (size_t i = 0; i < b.size(); ++i) places_[b[i]].push_back(i);
  }

  // In order, stretches that touch joined. Nothing if there is too much to compare.
  std::optional<std::vector<Block>> Blocks(size_t a_size, size_t b_size) {
    std::vector<Block> found;
    std::vector<Span> open{{0, a_size, 0, b_size}};
    while (!open.empty()) {
      const Span span = open.back();
      open.pop_back();
      const Block block = Longest(span);
      if (pairs_ > kMaxPairs) return std::nullopt;
      if (block.size == 0) continue;
      found.push_back(block);
      open.push_back({span.a_begin, block.a, span.b_begin, block.b});
      open.push_back({block.a + block.size, span.a_end, block.b + block.size, span.b_end});
    }
    std::ranges::sort(found, {}, &Block::a);
    std::vector<Block> joined;
    for (const Block& block : found) {
      if (!joined.empty() && joined.back().a + joined.back().size == block.a &&
          joined.back().b + joined.back().size == block.b) {
        joined.back().size += block.size;
      } else {
        joined.push_back(block);
      }
    }
    return joined;
  }

 private:
  Block Longest(const Span& span) {
    Block best{span.a_begin, span.b_begin, 0};
    // lengths_[j + 1] is that of the stretch that ends at place j of b.
    std::span<const size_t> last_row;
    for (size_t i = span.a_begin; i < span.a_end && pairs_ <= kMaxPairs; ++i) {
      const std::span<const size_t> row = PlacesOf(a_[i], span);
      pairs_ += row.size();
      for (const size_t j : row) {
        const size_t length = lengths_[j] + 1;
        next_lengths_[j + 1] = length;
        if (length > best.size) best = {i + 1 - length, j + 1 - length, length};
      }
      for (const size_t j : last_row) lengths_[j + 1] = 0;
      lengths_.swap(next_lengths_);
      last_row = row;
    }
    for (const size_t j : last_row) lengths_[j + 1] = 0;
    return best;
  }

  // Where the line stands in that part of b.
  std::span<const size_t> PlacesOf(const std::string& line, const Span& span) const {
    const auto found = places_.find(line);
    if (found == places_.end()) return {};
    const auto first = std::ranges::lower_bound(found->second, span.b_begin);
    const auto last = std::ranges::lower_bound(found->second, span.b_end);
    return {first, last};
  }

  const Lines& a_;
  std::map<std::string_view, std::vector<size_t>> places_;
  std::vector<size_t> lengths_;
  std::vector<size_t> next_lengths_;
  size_t pairs_ = 0;
};

std::string RangeText(size_t begin, size_t end) {
  const size_t length = end - begin;
  if (length == 1) return std::to_string(begin + 1);
  return std::to_string(length == 0 ? begin : begin + 1) + "," + std::to_string(length);
}

void AppendLines(const Lines& lines, size_t begin, size_t end, char mark, std::string& out) {
  for (size_t i = begin; i < end; ++i) ((out += mark) += lines[i]) += '\n';
}

// Changes that are close to each other, with what stands around them.
void AppendHunk(const Lines& a, const Lines& b, const std::vector<Span>& changes,
                std::string& out) {
  const Span& first = changes.front();
  const Span& last = changes.back();
  const size_t before = std::min(kContext, first.a_begin);
  const size_t behind = std::min(kContext, a.size() - last.a_end);
  out += "@@ -" + RangeText(first.a_begin - before, last.a_end + behind) + " +" +
         RangeText(first.b_begin - before, last.b_end + behind) + " @@\n";
  size_t at = first.a_begin - before;
  for (const Span& change : changes) {
    AppendLines(a, at, change.a_begin, ' ', out);
    AppendLines(a, change.a_begin, change.a_end, '-', out);
    AppendLines(b, change.b_begin, change.b_end, '+', out);
    at = change.a_end;
  }
  AppendLines(a, at, at + behind, ' ', out);
}

}  // namespace

std::string InternalDiff(const object::Value* old, const object::Value* now) {
  const Lines a = IndentedLines(old != nullptr ? InternalForm(*old) : "null");
  const Lines b = IndentedLines(now != nullptr ? InternalForm(*now) : "null");
  if (a.size() > kMaxLines || b.size() > kMaxLines) return {};
  std::string out;
  std::vector<Span> hunk;
  size_t a_at = 0;
  size_t b_at = 0;
  std::optional<std::vector<Block>> blocks = Matcher(a, b).Blocks(a.size(), b.size());
  if (!blocks) return {};
  blocks->push_back({a.size(), b.size(), 0});
  for (const Block& block : *blocks) {
    if (a_at < block.a || b_at < block.b) {
      if (!hunk.empty() && a_at - hunk.back().a_end > 2 * kContext) {
        AppendHunk(a, b, hunk, out);
        hunk.clear();
      }
      hunk.push_back({a_at, block.a, b_at, block.b});
    }
    a_at = block.a + block.size;
    b_at = block.b + block.size;
  }
  if (!hunk.empty()) AppendHunk(a, b, hunk, out);
  return out;
}

}  // namespace skiff::apiserver
