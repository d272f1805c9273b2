// Subjects of bindings of versions that are no longer served: they had the version of their API,
// and everybody had a name.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> SubjectConversions();

}  // namespace skiff::apiserver
