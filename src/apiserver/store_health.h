// What the health of the cluster store means for that of the server.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/log.h"
#include "serving/health.h"
#include "store/store.h"

namespace skiff::apiserver {

// Checks named "etcd", as in Kubernetes. A store that takes no writes makes the server unready, but
// not dead: a restart would not help it, and reads go on meanwhile. Damage of single objects is a
// note: neither.
std::vector<serving::HealthCheck> StoreHealthChecks(std::function<store::StoreHealth()> ask);

// Empty when all is well.
std::string StoreFault(const store::StoreHealth& health);

// Logs when the store falls ill, with what is wrong, and when it is well again. One thread.
class StoreReporter {
 public:
  explicit StoreReporter(Log& log) : log_(log) {}
  void Update(const store::StoreHealth& health);

 private:
  Log& log_;
  std::string fault_;   // as last told
  std::string damage_;  // likewise
};

}  // namespace skiff::apiserver
