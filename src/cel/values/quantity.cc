#include "cel/values/quantity.h"

namespace skiff::cel {

Result<Quantity> QuantityFromText(std::string_view text) { return Quantity::Parse(text); }

Result<int64_t> AsInteger(const Quantity& quantity) {
  const auto value = quantity.AsInt64();
  if (!value) return BadRequest("cannot convert value to integer");
  return *value;
}

bool IsInteger(const Quantity& quantity) { return quantity.AsInt64().has_value(); }

int64_t CompareTo(const Quantity& a, const Quantity& b) {
  const int order = a.Compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

Quantity Sum(const Quantity& a, const Quantity& b) {
  Quantity out = a;
  out.Add(b);
  return out;
}

Quantity Sum(const Quantity& a, int64_t b) {
  return Sum(a, Quantity(b, QuantityFormat::kDecimalExponent));
}

Quantity Difference(const Quantity& a, const Quantity& b) {
  Quantity out = a;
  out.Sub(b);
  return out;
}

Quantity Difference(const Quantity& a, int64_t b) {
  return Difference(a, Quantity(b, QuantityFormat::kDecimalExponent));
}

}  // namespace skiff::cel
