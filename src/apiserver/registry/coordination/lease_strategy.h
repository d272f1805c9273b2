// How a leader is chosen among candidates: the strategies that leases and candidates may name.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"

namespace skiff::apiserver {

// Reports below the place where `errors` is: the spec that has the field "strategy".
void ValidateLeaseStrategy(std::string_view strategy, FieldErrors& errors);

}  // namespace skiff::apiserver
