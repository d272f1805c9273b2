// Pieces of text and numbers put together, for keys, values and messages of tests.
#pragma once

#include <sstream>
#include <string>
#include <utility>

namespace skiff::testing {

template <typename... Pieces>
std::string Text(const Pieces&... pieces) {
  std::ostringstream out;
  (out << ... << pieces);
  return std::move(out).str();
}

}  // namespace skiff::testing
