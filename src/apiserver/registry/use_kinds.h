// What the folders below need to know of kinds: the defaults that take code, the conversions, and
// what objects become by being read. These folders read objects of every kind and stand below this
// one, so that they are told; nothing registers itself.
#pragma once

#include <memory>

#include "apiserver/defaults/defaults.h"
#include "base/clock.h"
#include "base/feature_gates.h"

namespace skiff::apiserver {

// Conversions and normal forms, which are the same for every server: for the whole process. Called
// when a server starts, before it reads anything, and by main() of unit tests.
void UseKinds();

// The defaults of one server. The clock, which may be null, outlives them.
std::unique_ptr<const DefaultPlans> DefaultsOfKinds(const FeatureGates& gates, Clock* clock);

}  // namespace skiff::apiserver
