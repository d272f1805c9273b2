// The rules of a LeaseCandidate: who would hold a lease.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kLeaseCandidateRules;

}  // namespace skiff::apiserver
