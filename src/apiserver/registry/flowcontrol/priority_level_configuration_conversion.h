// Priority levels of versions that are no longer served: shares were a number that could not be
// left out.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> PriorityLevelConversions();

}  // namespace skiff::apiserver
