// The rules of a ServiceAccount.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kServiceAccountRules;

}  // namespace skiff::apiserver
