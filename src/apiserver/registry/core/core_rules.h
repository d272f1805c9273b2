// The rules of the core group.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kPodRules;
extern const KindRules kPodTemplateRules;
extern const KindRules kReplicationControllerRules;

std::span<const KindRules> CoreRules();

}  // namespace skiff
