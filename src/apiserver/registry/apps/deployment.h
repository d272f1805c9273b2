// The rules of a Deployment: how it replaces pods, and what its status counts.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kDeploymentRules;

}  // namespace skiff::apiserver
