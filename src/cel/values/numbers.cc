#include "cel/values/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "cel/values/go_quote.h"

namespace skiff::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

auto IntOverflow() { return BadRequest("integer overflow"); }
auto UintOverflow() { return BadRequest("unsigned integer overflow"); }
auto DivisionByZero() { return BadRequest("division by zero"); }
auto ModulusByZero() { return BadRequest("modulus by zero"); }

auto ConversionError(std::string_view type) {
  return BadRequest("type conversion error from 'string' to '" + std::string(type) + "'");
}

// The digits of a number, all of them.
template <typename T>
std::from_chars_result ReadDigits(std::string_view digits, T& value) {
  const char* const end = digits.data() + digits.size();
  auto result = std::from_chars(digits.data(), end, value);
  if (digits.empty() || !IsDigit(digits.back()) ||
      (result.ec == std::errc() && result.ptr != end)) {
    result.ec = std::errc::invalid_argument;
  }
  if (result.ec == std::errc::result_out_of_range && result.ptr != end) {
    result.ec = std::errc::invalid_argument;
  }
  return result;
}

// A number with a sign, as strconv.ParseInt takes it in base 10.
std::errc ReadInt(std::string_view text, int64_t& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::errc::invalid_argument;
  }
  return ReadDigits(text, value).ec;
}

std::errc ReadUint(std::string_view text, uint64_t& value) {
  if (!text.empty() && !IsDigit(text[0])) return std::errc::invalid_argument;
  return ReadDigits(text, value).ec;
}

auto StrconvError(std::string_view function, std::string_view text, std::errc error) {
  return BadRequest(
      "strconv." + std::string(function) + ": parsing " + GoQuote(text) +
      (error == std::errc::result_out_of_range ? ": value out of range" : ": invalid syntax"));
}

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// A number of Go's syntax without its underscores, fit for from_chars.
struct FloatText {
  std::string digits;  // what from_chars reads: no sign, no 0x
  bool hex = false;
  bool whole = false;     // the text was a number
  int64_t magnitude = 0;  // a power of ten or two near the number, or below all if it is zero
};

// Reads a number; what it is not leaves `whole` false. Underscores stand between two digits, or
// between the prefix of a base and a digit.
class FloatReader {
 public:
  explicit FloatReader(std::string_view text) : text_(text) {}

  FloatText Read() {
    if (text_.size() >= 2 && text_[0] == '0' && (text_[1] | 0x20) == 'x') {
      out_.hex = true;
      at_ = 2;
      after_digit_ = true;
    }
    const bool digits = Mantissa();
    if (digits && Exponent() && at_ == text_.size() && !after_underscore_) Finish();
    return std::move(out_);
  }

 private:
  bool Mantissa() {
    bool point = false;
    bool digits = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '_') {
        if (!Underscore()) return false;
        continue;
      }
      if (c == '.' && !point) {
        if (after_underscore_) return false;
        point = true;
        after_digit_ = false;
        out_.digits += c;
        continue;
      }
      if (out_.hex ? !IsHexDigit(c) : !IsDigit(c)) break;
      digits = true;
      Digit(c, point);
    }
    return digits;
  }

  bool Underscore() {
    if (!after_digit_) return false;
    after_digit_ = false;
    after_underscore_ = true;
    return true;
  }

  void Digit(char c, bool behind_point) {
    after_digit_ = true;
    after_underscore_ = false;
    out_.digits += c;
    if (c != '0') significant_ = true;
    if (significant_ && !behind_point) ++place_;
    if (!significant_ && behind_point) --place_;
  }

  bool Exponent() {
    const char mark = at_ < text_.size() ? static_cast<char>(text_[at_] | 0x20) : '\0';
    if (mark != (out_.hex ? 'p' : 'e')) return !out_.hex;
    if (after_underscore_) return false;
    after_digit_ = false;
    ++at_;
    bool negative = false;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
      negative = text_[at_++] == '-';
    }
    bool digits = false;
    for (; at_ < text_.size() && (IsDigit(text_[at_]) || text_[at_] == '_'); ++at_) {
      if (text_[at_] == '_') {
        if (!Underscore()) return false;
        continue;
      }
      digits = after_digit_ = true;
      after_underscore_ = false;
      if (exponent_ < kHugeExponent) exponent_ = exponent_ * 10 + (text_[at_] - '0');
    }
    if (negative) exponent_ = -exponent_;
    return digits;
  }

  void Finish() {
    out_.whole = true;
    out_.digits += out_.hex ? 'p' : 'e';
    out_.digits += std::to_string(exponent_);
    out_.magnitude = significant_ ? exponent_ + (out_.hex ? 4 : 1) * place_
                                  : std::numeric_limits<int64_t>::min();
  }

  // Go reads no more of an exponent either.
  static constexpr int64_t kHugeExponent = 10'000;

  const std::string_view text_;
  size_t at_ = 0;
  bool after_digit_ = false;
  bool after_underscore_ = false;
  bool significant_ = false;
  int64_t place_ = 0;  // digits before the point, or as a negative number zeros behind it
  int64_t exponent_ = 0;
  FloatText out_;
};

// "inf", "infinity", "nan" in any case; only NaN has no sign.
std::optional<double> SpecialFloat(std::string_view text, bool has_sign) {
  const std::string lower = AsciiLower(text);
  if (lower == "inf" || lower == "infinity") return std::numeric_limits<double>::infinity();
  if (lower == "nan" && !has_sign) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

// The shortest digits that are read as the same number, and the place of the decimal point in them.
struct Shortest {
  std::string digits;
  int point = 0;
};

Shortest ShortestDigits(double positive) {
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.begin(), buffer.end(), positive, std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t mark = text.find('e');
  Shortest out;
  for (const char c : text.substr(0, mark)) {
    if (c != '.') out.digits += c;
  }
  std::string_view exponent = text.substr(mark + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), out.point);
  ++out.point;
  return out;
}

std::string Plain(const Shortest& number) {
  const auto size = static_cast<int>(number.digits.size());
  if (number.point <= 0) {
    return "0." + std::string(static_cast<size_t>(-number.point), '0') + number.digits;
  }
  if (number.point >= size) {
    return number.digits + std::string(static_cast<size_t>(number.point - size), '0');
  }
  const auto point = static_cast<size_t>(number.point);
  return number.digits.substr(0, point) + "." + number.digits.substr(point);
}

// What has no digits: "NaN", "+Inf", "-Inf", "0", "-0"; nothing for other numbers.
std::optional<std::string> WithoutDigits(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  return std::nullopt;
}

}  // namespace

Result<int64_t> Add(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_add_overflow(a, b, &out)) return IntOverflow();
  return out;
}

Result<int64_t> Subtract(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_sub_overflow(a, b, &out)) return IntOverflow();
  return out;
}

Result<int64_t> Multiply(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return IntOverflow();
  return out;
}

Result<int64_t> Divide(int64_t a, int64_t b) {
  if (b == 0) return DivisionByZero();
  if (b == -1) return Negate(a);
  return a / b;
}

Result<int64_t> Modulo(int64_t a, int64_t b) {
  if (b == 0) return ModulusByZero();
  if (b == -1 && a == std::numeric_limits<int64_t>::min()) return IntOverflow();
  return b == -1 ? 0 : a % b;
}

Result<int64_t> Negate(int64_t a) { return Subtract(int64_t{0}, a); }

Result<uint64_t> Add(uint64_t a, uint64_t b) {
  uint64_t out;
  if (__builtin_add_overflow(a, b, &out)) return UintOverflow();
  return out;
}

Result<uint64_t> Subtract(uint64_t a, uint64_t b) {
  if (b > a) return UintOverflow();
  return a - b;
}

Result<uint64_t> Multiply(uint64_t a, uint64_t b) {
  uint64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return UintOverflow();
  return out;
}

Result<uint64_t> Divide(uint64_t a, uint64_t b) {
  if (b == 0) return DivisionByZero();
  return a / b;
}

Result<uint64_t> Modulo(uint64_t a, uint64_t b) {
  if (b == 0) return ModulusByZero();
  return a % b;
}

std::strong_ordering Compare(int64_t a, uint64_t b) {
  if (a < 0) return std::strong_ordering::less;
  return static_cast<uint64_t>(a) <=> b;
}

std::partial_ordering Compare(int64_t a, double b) {
  if (b < -kTwoTo63) return std::partial_ordering::greater;
  if (b > kTwoTo63) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering Compare(uint64_t a, double b) {
  if (b < 0) return std::partial_ordering::greater;
  if (b > kTwoTo64) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

Result<int64_t> IntFrom(uint64_t value) {
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return IntOverflow();
  return static_cast<int64_t>(value);
}

Result<int64_t> IntFrom(double value) {
  if (!(value > -kTwoTo63 && value < kTwoTo63)) return IntOverflow();
  return static_cast<int64_t>(value);
}

Result<uint64_t> UintFrom(int64_t value) {
  if (value < 0) return UintOverflow();
  return static_cast<uint64_t>(value);
}

Result<uint64_t> UintFrom(double value) {
  if (!(value >= 0 && value < kTwoTo64)) return UintOverflow();
  return static_cast<uint64_t>(value);
}

std::optional<int64_t> ExactInt(double value) {
  if (!(value > -kTwoTo63 && value < kTwoTo63) || value != std::trunc(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<uint64_t> ExactUint(double value) {
  if (!(value >= 0 && value < kTwoTo64) || value != std::trunc(value)) return std::nullopt;
  return static_cast<uint64_t>(value);
}

Result<int64_t> IntFromText(std::string_view text) {
  int64_t value = 0;
  if (ReadInt(text, value) != std::errc()) return ConversionError("int");
  return value;
}

Result<uint64_t> UintFromText(std::string_view text) {
  uint64_t value = 0;
  if (ReadUint(text, value) != std::errc()) return ConversionError("uint");
  return value;
}

Result<double> DoubleFromText(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const double sign = text.starts_with('-') ? -1.0 : 1.0;
  if (has_sign) text.remove_prefix(1);
  if (const auto special = SpecialFloat(text, has_sign)) return sign * *special;
  const FloatText number = FloatReader(text).Read();
  if (!number.whole) return ConversionError("double");
  double value = 0;
  const char* const end = number.digits.data() + number.digits.size();
  const auto result =
      std::from_chars(number.digits.data(), end, value,
                      number.hex ? std::chars_format::hex : std::chars_format::general);
  if (result.ec == std::errc::result_out_of_range) {
    // Too large is an error, too small is zero.
    if (number.magnitude > 0) return ConversionError("double");
    value = 0;
  } else if (result.ec != std::errc() || result.ptr != end || std::isinf(value)) {
    return ConversionError("double");
  }
  return sign * value;
}

Result<bool> BoolFromText(std::string_view text) {
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == word) return true;
  }
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == word) return false;
  }
  return ConversionError("bool");
}

std::string Text(int64_t value) { return std::to_string(value); }
std::string Text(uint64_t value) { return std::to_string(value); }

std::string Text(double value) {
  if (auto text = WithoutDigits(value)) return *std::move(text);
  const Shortest number = ShortestDigits(std::abs(value));
  std::string out = value < 0 ? "-" : "";
  const int exponent = number.point - 1;
  constexpr int kMinPlain = -4;
  constexpr int kMaxPlain = 5;
  if (exponent >= kMinPlain && exponent <= kMaxPlain) return out + Plain(number);
  out += number.digits[0];
  if (number.digits.size() > 1) out.append(".").append(number.digits, 1);
  out += exponent < 0 ? "e-" : "e+";
  const std::string digits = std::to_string(std::abs(exponent));
  if (digits.size() < 2) out += '0';
  return out + digits;
}

std::string PlainText(double value) {
  if (auto text = WithoutDigits(value)) return *std::move(text);
  return (value < 0 ? "-" : "") + Plain(ShortestDigits(std::abs(value)));
}

Result<int64_t> GoAtoi(std::string_view text) {
  int64_t value = 0;
  const std::errc error = ReadInt(text, value);
  if (error != std::errc()) return StrconvError("Atoi", text, error);
  return value;
}

Result<uint64_t> GoParseUint(std::string_view text) {
  uint64_t value = 0;
  const std::errc error = ReadUint(text, value);
  if (error != std::errc()) return StrconvError("ParseUint", text, error);
  return value;
}

}  // namespace skiff::cel
