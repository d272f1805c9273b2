// Quantities of CEL: what Kubernetes' library adds to object/scalar's. Equality, order, sign and
// the approximate double are Quantity's own.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "object/scalar/quantity.h"

namespace skiff::cel {

// quantity(text); isQuantity() is whether there is a value.
Result<object::Quantity> QuantityFromText(std::string_view text);

// asInteger(), isInteger(): only amounts that Kubernetes holds as an integer.
Result<int64_t> AsInteger(const object::Quantity& quantity);
bool IsInteger(const object::Quantity& quantity);

// compareTo(): -1, 0 or 1.
int64_t CompareTo(const object::Quantity& a, const object::Quantity& b);

// add() and sub(), of a quantity or of an int.
object::Quantity Sum(const object::Quantity& a, const object::Quantity& b);
object::Quantity Sum(const object::Quantity& a, int64_t b);
object::Quantity Difference(const object::Quantity& a, const object::Quantity& b);
object::Quantity Difference(const object::Quantity& a, int64_t b);

}  // namespace skiff::cel
