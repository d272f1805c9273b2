// The rules of the kinds of apps.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> AppsRules();

}  // namespace skiff
