#include "apiserver/registry/coordination/lease.h"

#include "apiserver/registry/coordination/lease_strategy.h"
#include "apiserver/validation/common.h"
#include "views/coordination.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace coordination = views::coordination_k8s_io_v1;

void ValidateLease(const object::Document& object, FieldErrors& errors) {
  const coordination::LeaseSpec spec = coordination::Lease(object).spec();
  const auto at = errors.At("spec");
  if (const auto seconds = spec.lease_duration_seconds()) {
    if (*seconds <= 0) {
      errors.Invalid("leaseDurationSeconds", *seconds, "must be greater than 0");
    }
  }
  if (const auto transitions = spec.lease_transitions()) {
    ValidateNonNegative(*transitions, "leaseTransitions", errors);
  }
  if (spec.strategy()) ValidateLeaseStrategy(*spec.strategy(), errors);
  if (!spec.preferred_holder().value_or("").empty() && spec.strategy().value_or("").empty()) {
    errors.Forbidden("preferredHolder", "may only be specified if `strategy` is defined");
  }
}

void ValidateLeaseUpdate(const object::Document& object, const object::Document&,
                         FieldErrors& errors) {
  ValidateLease(object, errors);
}

}  // namespace

constinit const KindRules kLeaseRules = {.group = "coordination.k8s.io",
                                         .kind = "Lease",
                                         .create = ValidateLease,
                                         .update = ValidateLeaseUpdate};

}  // namespace skiff::apiserver
