// Ingresses of versions that are no longer served: a backend was always a service.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> IngressConversions();

}  // namespace skiff::apiserver
