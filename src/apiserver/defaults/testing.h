// The defaults of all kinds as a server without flags has them, for tests of the folders below the
// registry, which has the rules. tests/apiserver/kinds_main.cc, the main() of such tests, defines
// it.
#pragma once

#include "apiserver/defaults/defaults.h"

namespace skiff::apiserver {

// For the life of the program.
const DefaultPlans& KindDefaults();

}  // namespace skiff::apiserver
