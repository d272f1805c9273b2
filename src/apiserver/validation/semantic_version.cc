#include "apiserver/validation/semantic_version.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace skiff::apiserver {
namespace {

bool IsNumber(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsDigit); }

std::optional<uint64_t> ReadNumber(std::string_view text) {
  if (!IsNumber(text) || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

std::vector<std::string_view> SplitDots(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('.', start), text.size());
    out.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

std::strong_ordering CompareIdentifiers(const std::string& a, const std::string& b) {
  const bool a_number = IsNumber(a);
  const bool b_number = IsNumber(b);
  if (a_number != b_number) {
    return a_number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (a_number && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace

std::optional<SemanticVersion> SemanticVersion::Parse(std::string_view text) {
  SemanticVersion out;
  if (const size_t plus = text.find('+'); plus != std::string_view::npos) {
    for (const std::string_view part : SplitDots(text.substr(plus + 1))) {
      if (!IsIdentifier(part)) return std::nullopt;
    }
    text = text.substr(0, plus);
  }
  if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
    for (const std::string_view part : SplitDots(text.substr(dash + 1))) {
      if (!IsIdentifier(part) || (IsNumber(part) && !ReadNumber(part))) return std::nullopt;
      out.before_release_.emplace_back(part);
    }
    text = text.substr(0, dash);
  }
  const std::vector<std::string_view> numbers = SplitDots(text);
  if (numbers.size() != out.numbers_.size()) return std::nullopt;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::optional<uint64_t> number = ReadNumber(numbers[i]);
    if (!number) return std::nullopt;
    out.numbers_[i] = *number;
  }
  return out;
}

std::strong_ordering SemanticVersion::operator<=>(const SemanticVersion& other) const {
  if (const auto order = numbers_ <=> other.numbers_; order != 0) return order;
  if (before_release_.empty() != other.before_release_.empty()) {
    return before_release_.empty() ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  const size_t common = std::min(before_release_.size(), other.before_release_.size());
  for (size_t i = 0; i < common; ++i) {
    const auto order = CompareIdentifiers(before_release_[i], other.before_release_[i]);
    if (order != 0) return order;
  }
  return before_release_.size() <=> other.before_release_.size();
}

}  // namespace skiff::apiserver
