#include "apiserver/store_health.h"

#include <string>

namespace skiff {

std::string StoreFault(const StoreHealth& health) {
  if (health.readable && health.writable) return {};
  return health.reason.empty() ? "not writable" : health.reason;
}

std::vector<HealthCheck> StoreHealthChecks(std::function<StoreHealth()> ask) {
  // Which keys are damaged is for those who may read the log.
  const auto note = [ask]() -> std::string {
    const uint64_t damaged = ask().damaged;
    if (damaged == 0) return {};
    return "stored data is damaged in " + std::to_string(damaged) +
           (damaged == 1 ? " place" : " places") + ", see the log";
  };
  return {{.name = "etcd",
           .endpoints = HealthCheck::kHealthz | HealthCheck::kReadyz,
           .check = [ask] { return StoreFault(ask()); },
           .note = note},
          {.name = "etcd",
           .endpoints = HealthCheck::kLivez,
           .check =
               [ask] {
                 const StoreHealth health = ask();
                 return health.readable ? std::string() : StoreFault(health);
               },
           .note = note}};
}

}  // namespace skiff
