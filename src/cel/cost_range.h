// Arithmetic of ranges of costs and sizes, which does not overflow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cel/cost_estimate.h"

namespace skiff::cel {

inline constexpr SizeRange kUnknownSize{0, UINT64_MAX};

inline uint64_t AddUpTo(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
inline uint64_t MultiplyUpTo(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
// Rounded up.
inline uint64_t Scale(uint64_t size, double factor) {
  const auto number = static_cast<double>(size);
  if (number > 0 && factor > 0 && number > 18446744073709551615.0 / factor) return UINT64_MAX;
  const double product = std::ceil(number * factor);
  return product >= 18446744073709551616.0 ? UINT64_MAX : static_cast<uint64_t>(product);
}

inline CostRange operator+(const CostRange& a, const CostRange& b) {
  return {AddUpTo(a.min, b.min), AddUpTo(a.max, b.max)};
}
inline CostRange operator*(const CostRange& a, const CostRange& b) {
  return {MultiplyUpTo(a.min, b.min), MultiplyUpTo(a.max, b.max)};
}
inline CostRange operator*(const CostRange& a, double factor) {
  return {Scale(a.min, factor), Scale(a.max, factor)};
}
inline CostRange Union(const CostRange& a, const CostRange& b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}
inline constexpr CostRange Exactly(uint64_t cost) { return {cost, cost}; }

}  // namespace skiff::cel
