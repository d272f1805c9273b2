// The rules of an Event, in the core group and in events.k8s.io.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kEventRules;
extern const KindRules kNewEventRules;

}  // namespace skiff::apiserver
