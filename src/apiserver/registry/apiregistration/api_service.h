// The rules of a APIService: which version it serves, and from where.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kAPIServiceRules;

}  // namespace skiff::apiserver
