// The rules of every kind that has some.
#pragma once

#include <string_view>

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

// Null when the kind has no rules of its own.
const KindRules* FindRules(std::string_view group, std::string_view kind);

}  // namespace skiff::apiserver
