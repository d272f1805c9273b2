// What a pod needs of one resource on its node.
#pragma once

#include <string_view>

#include "object/scalar/quantity.h"
#include "views/core/v1.h"

namespace skiff {

// What the scheduler counts: the containers together, or an init container with what runs beside it
// if that is more; what the pod asks for as a whole instead; and the overhead.
Quantity PodRequest(const views::core_v1::PodSpec& spec, std::string_view resource);

}  // namespace skiff
