// The value of a string or bytes literal.
#pragma once

#include <string>
#include <string_view>

namespace skiff::cel {

struct Unescaped {
  std::string text;
  std::string_view error;  // empty: none
};

// `literal` with its quotes and its r, without its b.
Unescaped Unescape(std::string_view literal, bool bytes);

}  // namespace skiff::cel
