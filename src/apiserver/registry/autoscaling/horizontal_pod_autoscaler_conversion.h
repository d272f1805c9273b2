// Horizontal pod autoscalers between autoscaling/v1 and v2.
//
// v1 knows one metric, the use of CPU. All others, and what else v2 has besides, travel in
// annotations, as JSON: metrics and statuses in a form of their own that v1 has for them, behaviour
// with names that begin with a capital. On the way to v2 an annotation that cannot be read counts
// for nothing.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> AutoscalerConversions();

}  // namespace skiff::apiserver
