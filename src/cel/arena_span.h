// Arrays in an arena.
#pragma once

#include <algorithm>
#include <span>

#include "base/arena.h"

namespace skiff::cel {

template <typename T>
std::span<T> CopySpan(Arena& arena, std::span<const T> items) {
  if (items.empty()) return {};
  T* copy = arena.AllocateArray<T>(items.size());
  std::copy(items.begin(), items.end(), copy);
  return {copy, items.size()};
}

}  // namespace skiff::cel
