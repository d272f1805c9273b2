// The rules of a Secret: what each type of it must hold.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kSecretRules;

}  // namespace skiff::apiserver
