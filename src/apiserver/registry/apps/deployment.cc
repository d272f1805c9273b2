#include "apiserver/registry/apps/deployment.h"

#include "apiserver/registry/apps/workload.h"
#include "apiserver/validation/common.h"
#include "views/apps/v1.h"

namespace skiff::apiserver {
namespace {

namespace apps = views::apps_v1;

void ValidateRollingUpdate(const apps::RollingUpdateDeployment& update, FieldErrors& errors) {
  const auto at = errors.At("strategy.rollingUpdate");
  const object::IntOrStringValue unavailable =
      update.max_unavailable().value_or(object::IntOrStringValue());
  const object::IntOrStringValue surge = update.max_surge().value_or(object::IntOrStringValue());
  ValidateIntOrPercent(unavailable, "maxUnavailable", errors);
  ValidateIntOrPercent(surge, "maxSurge", errors);
  if (NumberOf(unavailable) == 0 && NumberOf(surge) == 0) {
    errors.Invalid("maxUnavailable", update.AsValue()->Find("maxUnavailable"),
                   "may not be 0 when `maxSurge` is 0");
  }
  ValidateNotMoreThan100Percent(unavailable, "maxUnavailable", errors);
}

void ValidateStrategy(const apps::DeploymentStrategy& strategy, FieldErrors& errors) {
  if (strategy.type() == "Recreate") {
    if (!strategy.has_rolling_update()) return;
    errors.Forbidden("strategy.rollingUpdate",
                     "may not be specified when strategy `type` is 'Recreate'");
  } else if (strategy.type() == "RollingUpdate") {
    if (!strategy.has_rolling_update()) {
      return errors.Required("strategy.rollingUpdate", "this should be defaulted and never be nil");
    }
    ValidateRollingUpdate(strategy.rolling_update(), errors);
  } else {
    errors.NotSupported("strategy", strategy.AsValue(), {"Recreate", "RollingUpdate"});
  }
}

void ValidateSpec(const apps::DeploymentSpec& spec,
                  const views::core_v1::PodTemplateSpec* old_template, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateNonNegative(spec.replicas().value_or(0), "replicas", errors);
  ValidateReplicaTemplate(spec.selector(), spec.template_(), old_template, errors);
  ValidateStrategy(spec.strategy(), errors);
  ValidateNonNegative(spec.min_ready_seconds(), "minReadySeconds", errors);
  ValidateNonNegative(spec.revision_history_limit().value_or(0), "revisionHistoryLimit", errors);
  if (const auto deadline = spec.progress_deadline_seconds()) {
    ValidateNonNegative(*deadline, "progressDeadlineSeconds", errors);
    if (*deadline <= spec.min_ready_seconds()) {
      errors.Invalid("progressDeadlineSeconds", *deadline, "must be greater than minReadySeconds");
    }
  }
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(apps::Deployment(object).spec(), nullptr, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const apps::DeploymentSpec spec = apps::Deployment(object).spec();
  const views::core_v1::PodTemplateSpec old_template = apps::Deployment(old).spec().template_();
  ValidateSpec(spec, &old_template, errors);
  ValidateImmutable(apps::Deployment(old).spec().selector().AsValue(), spec.selector().AsValue(),
                    "spec.selector", errors);
}

void ValidateStatus(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const apps::DeploymentStatus status = apps::Deployment(object).status();
  const auto at = errors.At("status");
  const Count replicas{"replicas", status.replicas()};
  const Count updated{"updatedReplicas", status.updated_replicas()};
  const Count ready{"readyReplicas", status.ready_replicas()};
  const Count available{"availableReplicas", status.available_replicas()};
  ValidateNonNegative(status.observed_generation(), "observedGeneration", errors);
  for (const Count& each : {replicas, updated, ready, available}) {
    ValidateNonNegative(each.number, each.field, errors);
  }
  ValidateNonNegative(status.unavailable_replicas(), "unavailableReplicas", errors);
  ValidateNonNegative(status.terminating_replicas().value_or(0), "terminatingReplicas", errors);
  ValidateNonNegative(status.collision_count().value_or(0), "collisionCount", errors);
  for (const Count& each : {updated, ready, available}) {
    ValidateNotMore(each, replicas, "status.replicas", errors);
  }
  ValidateNotMore(available, ready, "readyReplicas", errors);
  ValidateNotDecremented(apps::Deployment(old).status().collision_count(), status.collision_count(),
                         "collisionCount", errors);
}

}  // namespace

const KindRules kDeploymentRules = {.group = "apps",
                                    .kind = "Deployment",
                                    .create = ValidateCreate,
                                    .update = ValidateUpdate,
                                    .status = ValidateStatus,
                                    .warn = WarnAboutReplicas<apps::Deployment>};

}  // namespace skiff::apiserver
