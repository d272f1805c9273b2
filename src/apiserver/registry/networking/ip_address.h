// The rules of an IPAddress: its name, and whose it is.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kIPAddressRules;

}  // namespace skiff::apiserver
