// Events: one object, which the core group and events.k8s.io give different names to.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> EventConversions();

}  // namespace skiff::apiserver
