// The rules of an EndpointSlice: its endpoints and ports.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kEndpointSliceRules;

}  // namespace skiff::apiserver
