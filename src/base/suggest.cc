#include "base/suggest.h"

#include <algorithm>
#include <vector>

namespace skiff {
namespace {

// Names are short; what is longer than this is no slip of the finger.
constexpr size_t kLongestName = 64;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && Lower(a) == Lower(b);
}

size_t EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes: a swap looks back two.
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string_view ClosestName(std::string_view given, std::span<const std::string_view> candidates) {
  if (given.empty() || given.size() > kLongestName) return {};
  const std::string wanted = Lower(given);
  // About one slip in three letters; more of them and any short name would do.
  size_t best = std::max<size_t>(1, given.size() / 3) + 1;
  std::string_view closest;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const size_t distance = EditDistance(wanted, Lower(candidate));
    if (distance < best) {
      best = distance;
      closest = candidate;
    }
  }
  return closest;
}

std::string DidYouMean(std::string_view given, std::span<const std::string_view> candidates) {
  const std::string_view closest = ClosestName(given, candidates);
  return closest.empty() ? std::string() : "; did you mean " + std::string(closest) + "?";
}

}  // namespace skiff
