// The rules of the kinds of flowcontrol.apiserver.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> FlowcontrolRules();

}  // namespace skiff
