#include "apiserver/extensions/schema/go_numbers.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace skiff::apiserver {

std::string GoFloatText(double number) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  const size_t e = text.find('e');
  if (e == text.npos) return std::string(text);
  int exponent = 0;
  const size_t digits = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  constexpr int kLeast = -4;
  constexpr int kMost = 5;
  if (exponent < kLeast || exponent > kMost) return std::string(text);
  const auto plain =
      std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::fixed);
  return std::string(buffer, plain.ptr);
}

int64_t GoInteger(double number) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (number >= -kTwo63 && number < kTwo63) return static_cast<int64_t>(number);
  return std::numeric_limits<int64_t>::min();
}

bool IsJsonInteger(double number) {
  constexpr double kMost = 9007199254740991.0;
  constexpr double kNear = 1e-9;
  if (!(number >= -kMost && number <= kMost)) return false;
  const double whole = static_cast<double>(static_cast<int64_t>(number));
  if (number == whole) return true;
  // A negative number is only whole when it is so exactly.
  if (number < 0 || whole == 0) return false;
  return std::fabs(number - whole) / (std::fabs(number) + std::fabs(whole)) < kNear;
}

}  // namespace skiff::apiserver
