// The rules of the kinds of apiextensions.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> ApiextensionsRules();

}  // namespace skiff
