// Deployments and daemon sets of versions that are no longer served: two fields live on as
// annotations.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> WorkloadConversions();

}  // namespace skiff::apiserver
