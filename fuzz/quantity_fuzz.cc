// Quantities: whatever parses has one canonical text, which parses to the same amount, and
// arithmetic on it keeps the laws of numbers. Two quantities are separated by a space.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "object/scalar/quantity.h"

namespace {

using skiff::object::Quantity;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckOne(std::string_view text, const Quantity& quantity) {
  const std::string canonical = quantity.ToString();
  const auto again = Quantity::Parse(canonical);
  Require(again.has_value());
  Require(*again == quantity);
  if (quantity.format() != skiff::object::QuantityFormat::kBinarySI) {
    Require(again->ToString() == canonical);
  }
  // A binary amount may need a second time (see quantity.h), but never a third.
  Require(Quantity::Parse(again->ToString())->ToString() == again->ToString());

  std::string scratch;
  const auto canonicalized = skiff::object::CanonicalizeQuantity(text, scratch);
  Require(canonicalized && *canonicalized == canonical);

  Quantity negated = quantity;
  negated.Negate();
  Require(negated.Sign() == -quantity.Sign());
  negated.Add(quantity);
  Require(negated.IsZero());

  for (const int scale : {-9, -3, 0, 3}) {
    Quantity rounded = quantity;
    const bool exact = rounded.RoundUp(scale);
    Require(exact == (rounded == quantity));
    const int order = rounded.Compare(quantity);
    Require(quantity.Sign() >= 0 ? order >= 0 : order <= 0);
    Require(rounded.ScaledValue(scale) == quantity.ScaledValue(scale));
  }
  if (const auto integer = quantity.AsInt64()) {
    Require(Quantity(*integer) == quantity);
    Require(quantity.Value() == *integer);
  }
  (void)quantity.AsApproximateDouble();
}

void CheckTwo(const Quantity& a, const Quantity& b) {
  Require((a.Compare(b) < 0) == (b.Compare(a) > 0));
  Quantity sum = a;
  sum.Add(b);
  Quantity other_sum = b;
  other_sum.Add(a);
  Require(sum == other_sum);
  sum.Sub(b);
  Require(sum == a);
  Quantity difference = a;
  difference.Sub(b);
  const int order = a.Compare(b);
  Require(difference.Sign() == (order > 0) - (order < 0));
  Quantity doubled = a;
  doubled.Multiply(2);
  doubled.Sub(a);
  Require(doubled == a);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t space = text.find(' ');
  const std::string_view first = text.substr(0, space);
  const auto a = Quantity::Parse(first);
  if (!a) {
    std::string scratch;
    Require(!skiff::object::CanonicalizeQuantity(first, scratch));
    return 0;
  }
  CheckOne(first, *a);
  if (space == std::string_view::npos) return 0;
  const std::string_view second = text.substr(space + 1);
  const auto b = Quantity::Parse(second);
  if (!b) return 0;
  CheckOne(second, *b);
  CheckTwo(*a, *b);
  return 0;
}
