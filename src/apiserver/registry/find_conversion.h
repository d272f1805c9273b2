// How messages of kinds become those of another version, where their names do not say it all.
#pragma once

#include "apiserver/convert/conversion_rule.h"
#include "object/descriptor.h"

namespace skiff::apiserver {

// Null when there is no rule for the two.
const ConversionRule* FindConversionOfKind(const object::MessageDesc* from,
                                           const object::MessageDesc* to);

}  // namespace skiff::apiserver
