// Works in a namespace under quotas that come, change and go, up to their limits and beyond, and
// takes away or spoils what every namespace is given: its service account and the root certificate.
#pragma once

#include <string>

#include "tests/sim/actor.h"

namespace skiff::sim {

class TenantActor final : public Actor {
 public:
  TenantActor(Cluster& cluster, Promises& promises, int number);

 protected:
  Task<void> Step() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(250); }

 private:
  Task<void> Work();
  Task<void> ChangeQuota();
  Task<void> Vandalize();
  // As members of JSON; each resource has a limit or none.
  std::string DrawLimits();

  const std::string name_space_;
  const std::string free_name_space_;  // without quotas
  bool prepared_ = false;
};

// A quota whose status does not tell what is there. Empty: all is well.
std::string QuotasOutOfStep(const Ledger& ledger);
// A namespace that lacks what every namespace has. Empty: all is well.
std::string FurnitureMissing(const Ledger& ledger);

}  // namespace skiff::sim
