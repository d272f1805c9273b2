// Runtime classes of versions that are no longer served: they had a spec.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> RuntimeClassConversions();

}  // namespace skiff::apiserver
