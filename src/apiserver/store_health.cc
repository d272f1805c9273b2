#include "apiserver/store_health.h"

#include <string>
#include <utility>

namespace skiff::apiserver {

std::string StoreFault(const store::StoreHealth& health) {
  if (health.readable && health.writable) return {};
  return health.reason.empty() ? "not writable" : health.reason;
}

void StoreReporter::Update(const store::StoreHealth& health) {
  if (std::exchange(damage_, health.damage) != health.damage) {
    if (health.damage.empty()) {
      log_.Info("all that is stored can be read again");
    } else {
      log_.Error("stored data is damaged", {{"reason", health.damage}});
    }
  }
  const bool well = health.readable && health.writable;
  const std::string fault = well ? health.reason : StoreFault(health);
  if (std::exchange(fault_, fault) == fault) return;
  if (fault.empty()) {
    log_.Info("the cluster store works again");
  } else if (well) {
    log_.Warning("the cluster store needs attention", {{"reason", fault}});
  } else {
    log_.Error(health.readable ? "the cluster store takes no writes" : "the cluster store fails",
               {{"reason", fault}});
  }
}

std::vector<serving::HealthCheck> StoreHealthChecks(std::function<store::StoreHealth()> ask) {
  // Which keys are damaged is for those who may read the log.
  const auto note = [ask]() -> std::string {
    const uint64_t damaged = ask().damaged;
    if (damaged == 0) return {};
    return "stored data is damaged in " + std::to_string(damaged) +
           (damaged == 1 ? " place" : " places") + ", see the log";
  };
  return {{.name = "etcd",
           .endpoints = serving::HealthCheck::kHealthz | serving::HealthCheck::kReadyz,
           .check = [ask] { return StoreFault(ask()); },
           .note = note},
          {.name = "etcd",
           .endpoints = serving::HealthCheck::kLivez,
           .check =
               [ask] {
                 const store::StoreHealth health = ask();
                 return health.readable ? std::string() : StoreFault(health);
               },
           .note = note}};
}

}  // namespace skiff::apiserver
