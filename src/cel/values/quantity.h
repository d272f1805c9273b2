// Quantities of CEL: what Kubernetes' library adds to object/scalar's. Equality, order, sign and
// the approximate double are Quantity's own.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "object/scalar/quantity.h"

namespace skiff::cel {

// quantity(text); isQuantity() is whether there is a value.
Result<Quantity> QuantityFromText(std::string_view text);

// asInteger(), isInteger(): only amounts that Kubernetes holds as an integer.
Result<int64_t> AsInteger(const Quantity& quantity);
bool IsInteger(const Quantity& quantity);

// compareTo(): -1, 0 or 1.
int64_t CompareTo(const Quantity& a, const Quantity& b);

// add() and sub(), of a quantity or of an int.
Quantity Sum(const Quantity& a, const Quantity& b);
Quantity Sum(const Quantity& a, int64_t b);
Quantity Difference(const Quantity& a, const Quantity& b);
Quantity Difference(const Quantity& a, int64_t b);

}  // namespace skiff::cel
