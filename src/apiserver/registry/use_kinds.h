// Makes known to the folders below what they need to know of kinds: the defaults that take code,
// the conversions, and what objects become by being read. These folders read objects of every kind
// and stand below this one, so that they are told; nothing registers itself.
#pragma once

#include "apiserver/defaults/defaults.h"

namespace skiff {

// For the whole process. Called when a server starts, before it reads anything, and by main() of
// unit tests. `find_rule` need not be given.
void UseKinds(DefaultsEnvironment environment = {});

}  // namespace skiff
