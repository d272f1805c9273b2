// Numbers of CEL: arithmetic that reports overflow, conversions that report what does not fit,
// comparison across int, uint and double, and texts, all as cel-go has them, errors included.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::cel {

Result<int64_t> Add(int64_t a, int64_t b);
Result<int64_t> Subtract(int64_t a, int64_t b);
Result<int64_t> Multiply(int64_t a, int64_t b);
Result<int64_t> Divide(int64_t a, int64_t b);
Result<int64_t> Modulo(int64_t a, int64_t b);
Result<int64_t> Negate(int64_t a);

Result<uint64_t> Add(uint64_t a, uint64_t b);
Result<uint64_t> Subtract(uint64_t a, uint64_t b);
Result<uint64_t> Multiply(uint64_t a, uint64_t b);
Result<uint64_t> Divide(uint64_t a, uint64_t b);
Result<uint64_t> Modulo(uint64_t a, uint64_t b);

// Unordered if one is NaN. Beside a double, an int or uint counts as the double that is next to it.
std::strong_ordering Compare(int64_t a, uint64_t b);
std::partial_ordering Compare(int64_t a, double b);
std::partial_ordering Compare(uint64_t a, double b);
// What ordering a NaN is answered with.
inline constexpr std::string_view kNanOrdered = "NaN values cannot be ordered";

Result<int64_t> IntFrom(uint64_t value);
// Fractions are dropped. The ends of the range of int are not in it.
Result<int64_t> IntFrom(double value);
Result<uint64_t> UintFrom(int64_t value);
Result<uint64_t> UintFrom(double value);
// The whole number that a double is; nothing if it is none: keys of maps, indices of lists.
std::optional<int64_t> ExactInt(double value);
std::optional<uint64_t> ExactUint(double value);

// int(text), uint(text), double(text), bool(text). Errors are "type conversion error from …".
Result<int64_t> IntFromText(std::string_view text);
Result<uint64_t> UintFromText(std::string_view text);
Result<double> DoubleFromText(std::string_view text);
Result<bool> BoolFromText(std::string_view text);

// string(value). Doubles have the fewest digits that are read as the same number, and an exponent
// from 1e+06 on and below 0.0001; also "NaN", "+Inf", "-Inf".
std::string Text(int64_t value);
std::string Text(uint64_t value);
std::string Text(double value);

// The fewest digits without an exponent, as durations are written.
std::string PlainText(double value);

// As Go's strconv.Atoi and strconv.ParseUint, with their errors: strconv.Atoi: parsing "x": …
Result<int64_t> GoAtoi(std::string_view text);
Result<uint64_t> GoParseUint(std::string_view text);

}  // namespace skiff::cel
