// The rules of Endpoints: the addresses and ports that are behind a service.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kEndpointsRules;

}  // namespace skiff::apiserver
