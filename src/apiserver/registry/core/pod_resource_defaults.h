// What a pod as a whole requests and is limited to, where it says some of it: the rest follows
// from its containers.
#pragma once

#include <span>

#include "apiserver/defaults/code_rules.h"

namespace skiff::apiserver {

std::span<const CodeRuleEntry> PodResourceDefaults();

}  // namespace skiff::apiserver
