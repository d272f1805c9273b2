// The rules of discovery.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kEndpointSliceRules;

std::span<const KindRules> DiscoveryRules();

}  // namespace skiff
