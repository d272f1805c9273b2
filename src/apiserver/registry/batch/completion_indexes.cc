#include "apiserver/registry/batch/completion_indexes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "apiserver/validation/field_errors.h"

namespace skiff::apiserver {
namespace {

struct Interval {
  int64_t first = 0;
  int64_t last = 0;
};

Result<int64_t> ParseIndex(std::string_view text, int64_t completions) {
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  int64_t index = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (fault != std::errc() || end != digits.data() + digits.size()) {
    return Fail(StatusReason::kInvalid,
                "cannot convert string to integer for index: " + ShownValue(text).json());
  }
  if (index >= completions) {
    return Fail(StatusReason::kInvalid, "too large index: " + ShownValue(text).json());
  }
  return index;
}

Status NotIncreasing(int64_t previous, int64_t current) {
  return Status(StatusReason::kInvalid,
                "non-increasing order, previous: " + std::to_string(previous) +
                    ", current: " + std::to_string(current));
}

Result<Interval> ParseInterval(std::string_view text, int64_t completions) {
  const size_t dash = text.find('-');
  if (dash != text.rfind('-')) {
    return Fail(StatusReason::kInvalid,
                "the fragment " + ShownValue(text).json() +
                    " violates the requirement that an index interval can have at most two parts "
                    "separated by '-'");
  }
  SKIFF_ASSIGN_OR_RETURN(const int64_t first, ParseIndex(text.substr(0, dash), completions));
  if (dash == std::string_view::npos) return Interval{first, first};
  SKIFF_ASSIGN_OR_RETURN(const int64_t last, ParseIndex(text.substr(dash + 1), completions));
  if (first >= last) return std::unexpected(NotIncreasing(first, last));
  return Interval{first, last};
}

// Takes the intervals off a text, one by one.
class Intervals {
 public:
  Intervals(std::string_view text, int64_t completions) : rest_(text), completions_(completions) {}

  bool done() const { return done_; }
  Result<Interval> Next() {
    const size_t comma = rest_.find(',');
    const std::string_view text = rest_.substr(0, comma);
    done_ = comma == std::string_view::npos;
    rest_ = done_ ? std::string_view() : rest_.substr(comma + 1);
    return ParseInterval(text, completions_);
  }
  std::optional<Interval> NextValid() {
    while (!done_) {
      if (const Result<Interval> interval = Next()) return *interval;
    }
    return std::nullopt;
  }

 private:
  std::string_view rest_;
  int64_t completions_;
  bool done_ = false;
};

}  // namespace

Result<int64_t> CountCompletionIndexes(std::string_view text, int64_t completions) {
  if (text.empty()) return 0;
  int64_t count = 0;
  std::optional<int64_t> last;
  Intervals intervals(text, completions);
  while (!intervals.done()) {
    SKIFF_ASSIGN_OR_RETURN(const Interval interval, intervals.Next());
    if (last && *last >= interval.first) {
      return std::unexpected(NotIncreasing(*last, interval.first));
    }
    count += interval.last - interval.first + 1;
    last = interval.last;
  }
  return count;
}

int64_t FirstCommonIndex(std::string_view a, std::string_view b, int64_t completions) {
  if (a.empty() || b.empty()) return -1;
  Intervals of_a(a, completions);
  Intervals of_b(b, completions);
  std::optional<Interval> in_a = of_a.NextValid();
  std::optional<Interval> in_b = of_b.NextValid();
  while (in_a && in_b) {
    if (in_a->first <= in_b->last && in_b->first <= in_a->last) {
      return std::max(in_a->first, in_b->first);
    }
    if (in_a->first <= in_b->first) {
      in_a = of_a.NextValid();
    } else {
      in_b = of_b.NextValid();
    }
  }
  return -1;
}

}  // namespace skiff::apiserver
