// A run in a process of its own, which begins as all others do: with a cluster prepared and nothing
// else. So what earlier runs left behind in static objects cannot matter, and a run that crashes or
// hangs is a failure like others.
#pragma once

#include "tests/sim/scenario.h"

namespace skiff::sim {

Outcome RunInChild(const ScenarioOptions& options);

}  // namespace skiff::sim
