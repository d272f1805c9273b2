// The rules of admission policies and their bindings: which requests they look at, and what they
// ask or change. What their expressions mean is for the compiler of expressions.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kValidatingAdmissionPolicyRules;
extern const KindRules kValidatingAdmissionPolicyBindingRules;
extern const KindRules kMutatingAdmissionPolicyRules;
extern const KindRules kMutatingAdmissionPolicyBindingRules;

}  // namespace skiff::apiserver
