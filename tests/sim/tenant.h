// Works in a namespace under quotas that come, change and go, up to their limits and beyond; makes
// many objects at once whose names the server chooses, in another where all of them charge one
// quota; and takes away or spoils what every namespace is given: its service account and the root
// certificate.
#pragma once

#include <string>

#include "tests/sim/actor.h"

namespace skiff::sim {

class TenantActor final : public Actor {
 public:
  TenantActor(Cluster& cluster, Guarantees& guarantees, int number);

 protected:
  Task<void> Step() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(250); }

 private:
  Task<void> Work();
  Task<void> Rush();
  Task<void> MakeNameless();
  Task<void> ChangeQuota();
  Task<void> Vandalize();
  // As members of JSON; each resource has a limit or none.
  std::string DrawLimits();

  const std::string name_space_;
  const std::string free_name_space_;  // without quotas
  const std::string full_name_space_;  // with a quota that leaves room for all
  bool prepared_ = false;
};

// A quota whose status does not tell what is there. Empty: all is well.
std::string QuotasOutOfStep(const Ledger& ledger);
// A namespace that lacks what every namespace has. Empty: all is well.
std::string FurnitureMissing(const Ledger& ledger);

}  // namespace skiff::sim
