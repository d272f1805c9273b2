// The rules of a Job: its pods, what ends it, and what may change while it runs.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kJobRules;

}  // namespace skiff::apiserver
