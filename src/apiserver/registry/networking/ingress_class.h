// The rules of an IngressClass: its controller and parameters.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kIngressClassRules;

}  // namespace skiff
