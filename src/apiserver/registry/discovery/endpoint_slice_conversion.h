// Endpoint slices of versions that are no longer served: the zone was one of the labels of a node.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> EndpointSliceConversions();

}  // namespace skiff::apiserver
