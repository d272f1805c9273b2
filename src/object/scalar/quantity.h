// Amounts of resources: "500m", "1536Mi", "12e6". Kubernetes' resource.Quantity.
//
//   quantity = [+-] digits [. digits] suffix
//   suffix   = n u m "" k M G T P E     DecimalSI
//            | Ki Mi Gi Ti Pi Ei        BinarySI
//            | e or E, [+-] digits      DecimalExponent
//
// Numbers are exact and no finer than nano; what is finer rounds away from zero. A quantity
// remembers the kind of suffix it was written with. A BinarySI amount is at most 2^63-1 when it is
// parsed; decimal amounts have no such cap, only the bounds in base/limits.h.
//
// The canonical text has no fraction and the largest suffix that allows it: 1.5 is 1500m, 1000 is
// 1k, 1.5Gi is 1536Mi, and a BinarySI amount below 1024 or with a fraction is written as DecimalSI.
// One oddity is part of the wire format: Kubernetes keeps some texts just as they were written
// (1.500, +5, 012Ki, 1E3: short numbers at an exponent that is a multiple of three and without
// three zeros at the end), and so do we, until the number is changed. Another: a BinarySI amount
// that is no multiple of 1024 has no suffix, so the text forgets the format. 2.9296875Ki becomes
// 3000, and that, when it is read again, 3k.
//
// Three things differ from Kubernetes on purpose. Beyond the largest suffix we write more digits
// (1000E), where Kubernetes drops the suffix and with it the value. Conversions to int64 saturate,
// where its results are undefined (it returns 0 or wraps). And they always round away from zero,
// where it rounds some negative numbers up.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "object/scalar/decimal.h"

namespace skiff::object {

enum class QuantityFormat : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

class Quantity {
 public:
  // Powers of ten to count in.
  static constexpr int kNano = -9;
  static constexpr int kMicro = -6;
  static constexpr int kMilli = -3;
  static constexpr int kKilo = 3;
  static constexpr int kMega = 6;
  static constexpr int kGiga = 9;

  Quantity() = default;  // 0
  // value × 10^scale. `scale` must be at least kNano and at most limits::kMaxQuantityDigits.
  explicit Quantity(int64_t value, QuantityFormat format = QuantityFormat::kDecimalSI,
                    int scale = 0)
      : value_(value), scale_(scale), format_(format) {}
  Quantity(const Quantity& other);
  Quantity& operator=(const Quantity& other);
  Quantity(Quantity&&) noexcept = default;
  Quantity& operator=(Quantity&&) noexcept = default;

  static Result<Quantity> Parse(std::string_view text);

  QuantityFormat format() const { return format_; }
  void AppendCanonical(std::string& out) const;
  std::string ToString() const;

  bool IsZero() const { return Sign() == 0; }
  int Sign() const;  // -1, 0 or 1
  // By value; formats do not matter.
  int Compare(const Quantity& other) const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.Compare(b) <=> 0;
  }

  // Exact. A zero takes over the format of the other.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Negate();
  void Multiply(int64_t factor);
  // Rounds away from zero to a multiple of 10^scale. False if that changed the value.
  bool RoundUp(int scale);

  // The amount in units of 10^scale, rounded away from zero; saturates.
  int64_t ScaledValue(int scale) const;
  int64_t Value() const { return ScaledValue(0); }
  int64_t MilliValue() const { return ScaledValue(kMilli); }
  // Only for amounts that Kubernetes holds as an integer: "1.0" and "0m" have none.
  std::optional<int64_t> AsInt64() const;
  // As imprecise as Kubernetes' AsApproximateFloat64, digit for digit.
  double AsApproximateDouble() const;

 private:
  // The part of Parse() after the syntax: an unsigned number times base^exponent.
  struct Parts;
  static Result<Quantity> FromParts(const Parts& parts);
  static Result<Quantity> FromLongParts(const Parts& parts);
  bool SetFromShortParts(const Parts& parts);

  Decimal ToDecimal() const;
  void BecomeDecimal();
  void AppendDecimal(QuantityFormat format, std::string& out) const;
  void AppendBinary(std::string& out) const;

  // The number is value_ × 10^scale_, unless big_ is there.
  int64_t value_ = 0;
  int32_t scale_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimalSI;
  std::unique_ptr<Decimal> big_;
  // What was parsed, if that is to be kept and is not what formatting the number gives.
  std::string kept_text_;
};

// True only for texts that are canonical, and for nearly all of those that occur: a short scan.
bool IsPlainlyCanonical(std::string_view text);

// The canonical text of a quantity: `text` itself if it is that already, which costs one short
// scan, or else written to `scratch` (whose former content is lost) and a view of that.
Result<std::string_view> CanonicalizeQuantity(std::string_view text, std::string& scratch);

}  // namespace skiff::object
