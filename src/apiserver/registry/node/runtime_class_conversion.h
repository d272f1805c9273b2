// Runtime classes of versions that are no longer served: they had a spec.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff {

std::span<const ConversionRule> RuntimeClassConversions();

}  // namespace skiff
