// The rules of coordination.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kLeaseRules;
extern const KindRules kLeaseCandidateRules;

std::span<const KindRules> CoordinationRules();

}  // namespace skiff
