// Exact decimal numbers of any size, for the quantities that 64 bits cannot hold.
//
// A value is a sign, decimal digits and a power of ten. Digits are kept as text: such numbers are
// rare and short (see limits::kMaxQuantityBytes), they come from text and go back to it, and every
// operation is one pass over the digits. Operands whose exponents lie far apart are brought to the
// same one by writing zeros, so callers bound exponents first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skiff::object {

class Decimal {
 public:
  Decimal() = default;  // zero
  Decimal(int64_t value, int64_t exponent);
  // `digits` is an unsigned integer; leading zeros are fine, an empty text is zero.
  Decimal(bool negative, std::string_view digits, int64_t exponent);

  int Sign() const { return digits_.empty() ? 0 : negative_ ? -1 : 1; }
  bool IsZero() const { return digits_.empty(); }
  // Without leading zeros; empty for zero.
  const std::string& digits() const { return digits_; }
  int64_t exponent() const { return exponent_; }
  // Digits before the decimal point; zero or negative below 1.
  int64_t IntegerDigits() const { return static_cast<int64_t>(digits_.size()) + exponent_; }

  int Compare(const Decimal& other) const;  // below, at or above 0
  void Add(const Decimal& other);
  void Negate() { negative_ = !negative_ && !IsZero(); }
  void Multiply(uint64_t factor);
  // The quotient; the remainder is returned. Requires exponent() == 0.
  uint32_t DivideBy(uint32_t divisor);

  // Makes the exponent at least this, rounding away from zero. False if digits were lost.
  bool RoundUp(int64_t exponent);
  // Makes the exponent smaller, which changes no value.
  void LowerExponent(int64_t exponent);
  // Moves trailing zeros into the exponent.
  void Normalize();

  // The integer part of a value of exponent 0, saturating.
  int64_t ToInt64Saturated() const;
  double ToDouble() const;

 private:
  void StripLeadingZeros();
  static int CompareMagnitude(const Decimal& a, const Decimal& b);

  bool negative_ = false;
  int64_t exponent_ = 0;
  std::string digits_;
};

}  // namespace skiff::object
