#include "cel/values/quantity.h"

namespace skiff::cel {

Result<object::Quantity> QuantityFromText(std::string_view text) {
  return object::Quantity::Parse(text);
}

Result<int64_t> AsInteger(const object::Quantity& quantity) {
  const auto value = quantity.AsInt64();
  if (!value) return BadRequest("cannot convert value to integer");
  return *value;
}

bool IsInteger(const object::Quantity& quantity) { return quantity.AsInt64().has_value(); }

int64_t CompareTo(const object::Quantity& a, const object::Quantity& b) {
  const int order = a.Compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

object::Quantity Sum(const object::Quantity& a, const object::Quantity& b) {
  object::Quantity out = a;
  out.Add(b);
  return out;
}

object::Quantity Sum(const object::Quantity& a, int64_t b) {
  return Sum(a, object::Quantity(b, object::QuantityFormat::kDecimalExponent));
}

object::Quantity Difference(const object::Quantity& a, const object::Quantity& b) {
  object::Quantity out = a;
  out.Sub(b);
  return out;
}

object::Quantity Difference(const object::Quantity& a, int64_t b) {
  return Difference(a, object::Quantity(b, object::QuantityFormat::kDecimalExponent));
}

}  // namespace skiff::cel
