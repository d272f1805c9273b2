// Custom resource definitions between v1, which is served, and v1beta1, which is stored.
//
// v1 says everything for each version. v1beta1 says once what is the same in all of them: schema,
// subresources, printer columns and selectable fields, each on its own.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> DefinitionConversions();

}  // namespace skiff::apiserver
