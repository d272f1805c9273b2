// The rules of an IngressClass: its controller and parameters.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kIngressClassRules;

}  // namespace skiff::apiserver
