// What calls cost at run time: Kubernetes' numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/value.h"

namespace skiff::cel {

// Of a call with these arguments, which may be errors.
using CallCost = uint64_t (*)(Arena& arena, std::span<const Val> args, const Val& result);

// Of a function; `overload` is empty if the checker left several. Null: 1.
CallCost CallCostOf(std::string_view function, std::string_view overload);

// What == costs.
uint64_t EqualCost(const Val& a, const Val& b);

}  // namespace skiff::cel
