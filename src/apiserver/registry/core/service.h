// The rules of a Service: its ports and addresses, and what goes with which type.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kServiceRules;

}  // namespace skiff::apiserver
