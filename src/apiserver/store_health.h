// What the health of the cluster store means for that of the server.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apiserver/health.h"
#include "store/store.h"

namespace skiff {

// Checks named "etcd", as in Kubernetes. A store that takes no writes makes the server unready, but
// not dead: a restart would not help it, and reads go on meanwhile. Damage of single objects is a
// note: neither.
std::vector<HealthCheck> StoreHealthChecks(std::function<StoreHealth()> ask);

// Empty when all is well.
std::string StoreFault(const StoreHealth& health);

}  // namespace skiff
