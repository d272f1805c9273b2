#include "apiserver/registry/policy/pod_disruption_budget.h"

#include "apiserver/validation/common.h"
#include "views/policy/v1.h"

namespace skiff::apiserver {
namespace {

namespace policy = views::policy_v1;

void ValidateAmount(const std::optional<object::IntOrStringValue>& amount, std::string_view field,
                    FieldErrors& errors) {
  if (!amount) return;
  ValidateIntOrPercent(*amount, field, errors);
  ValidateNotMoreThan100Percent(*amount, field, errors);
}

void ValidateSpec(const policy::PodDisruptionBudgetSpec& spec, bool allow_invalid_values,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  if (spec.min_available() && spec.max_unavailable()) {
    errors.Invalid("", spec.AsValue(), "minAvailable and maxUnavailable cannot be both set");
  }
  ValidateAmount(spec.min_available(), "minAvailable", errors);
  ValidateAmount(spec.max_unavailable(), "maxUnavailable", errors);
  if (spec.has_selector()) {
    const auto at_selector = errors.At("selector");
    ValidateLabelSelector(spec.selector(), {.allow_invalid_values = allow_invalid_values}, errors);
  }
  if (const auto eviction = spec.unhealthy_pod_eviction_policy()) {
    ValidateOneOf(*eviction, {"AlwaysAllow", "IfHealthyBudget"}, "unhealthyPodEvictionPolicy",
                  errors);
  }
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(policy::PodDisruptionBudget(object).spec(), false, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  FieldErrors faults_before(errors.settings());
  const policy::PodDisruptionBudgetSpec before = policy::PodDisruptionBudget(old).spec();
  if (before.has_selector()) ValidateLabelSelector(before.selector(), {}, faults_before);
  ValidateSpec(policy::PodDisruptionBudget(object).spec(), !faults_before.empty(), errors);
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  const policy::PodDisruptionBudgetStatus status = policy::PodDisruptionBudget(object).status();
  const auto at = errors.At("status");
  ValidateConditions(status.conditions(), "conditions", errors);
  ValidateNonNegative(status.disruptions_allowed(), "disruptionsAllowed", errors);
  ValidateNonNegative(status.current_healthy(), "currentHealthy", errors);
  ValidateNonNegative(status.desired_healthy(), "desiredHealthy", errors);
  ValidateNonNegative(status.expected_pods(), "expectedPods", errors);
}

}  // namespace

const KindRules kPodDisruptionBudgetRules = {.group = "policy",
                                             .kind = "PodDisruptionBudget",
                                             .create = ValidateCreate,
                                             .update = ValidateUpdate,
                                             .status = ValidateStatus};

}  // namespace skiff::apiserver
