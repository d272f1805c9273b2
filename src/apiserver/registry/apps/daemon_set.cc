#include "apiserver/registry/apps/daemon_set.h"

#include "apiserver/registry/apps/workload.h"
#include "apiserver/registry/core/pod_spec.h"
#include "apiserver/validation/common.h"
#include "object/selector/label_selector.h"
#include "views/apps/v1.h"

namespace skiff::apiserver {
namespace {

namespace apps = views::apps_v1;

void ValidateRollingUpdate(const apps::RollingUpdateDaemonSet& update, FieldErrors& errors) {
  const auto at = errors.At("rollingUpdate");
  const object::IntOrStringValue unavailable =
      update.max_unavailable().value_or(object::IntOrStringValue());
  const object::IntOrStringValue surge = update.max_surge().value_or(object::IntOrStringValue());
  ValidateIntOrPercent(unavailable, "maxUnavailable", errors);
  ValidateIntOrPercent(surge, "maxSurge", errors);
  ValidateNotMoreThan100Percent(unavailable, "maxUnavailable", errors);
  ValidateNotMoreThan100Percent(surge, "maxSurge", errors);
  const bool has_unavailable = NumberOf(unavailable) != 0;
  const bool has_surge = NumberOf(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.Invalid("maxSurge", update.AsValue()->Find("maxSurge"),
                   "may not be set when maxUnavailable is non-zero");
  } else if (!has_unavailable && !has_surge) {
    errors.Required("maxUnavailable", "cannot be 0 when maxSurge is 0");
  }
}

void ValidateUpdateStrategy(const apps::DaemonSetUpdateStrategy& strategy, FieldErrors& errors) {
  if (strategy.type() == "OnDelete") return;
  if (strategy.type() != "RollingUpdate") {
    return errors.NotSupported("updateStrategy", strategy.AsValue(), {"RollingUpdate", "OnDelete"});
  }
  const auto at = errors.At("updateStrategy");
  if (!strategy.has_rolling_update()) return errors.Required("rollingUpdate");
  ValidateRollingUpdate(strategy.rolling_update(), errors);
}

void ValidateSelector(const apps::DaemonSetSpec& spec, bool allow_invalid_values,
                      FieldErrors& errors) {
  const views::meta_v1::LabelSelector selector = spec.selector();
  if (spec.has_selector()) {
    const auto at = errors.At("selector");
    ValidateLabelSelector(selector, {.allow_invalid_values = allow_invalid_values}, errors);
  }
  ValidateTemplateIsSelected(selector, spec.template_(), errors);
  if (spec.has_selector()) ValidateSelectsSomething(selector, "daemonset", errors);
}

void ValidateSpec(const apps::DaemonSetSpec& spec, const apps::DaemonSetSpec* old,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateSelector(spec, old != nullptr && HasInvalidLabelValue(old->selector()), errors);
  if (old == nullptr) {
    ValidateTemplate(spec.template_(), nullptr, errors);
  } else {
    const views::core_v1::PodTemplateSpec old_template = old->template_();
    ValidateTemplate(spec.template_(), &old_template, errors);
  }
  ValidateRunsForEver(spec.template_(), "DaemonSet", errors);
  ValidateNonNegative(spec.min_ready_seconds(), "minReadySeconds", errors);
  ValidateUpdateStrategy(spec.update_strategy(), errors);
  ValidateNonNegative(spec.revision_history_limit().value_or(0), "revisionHistoryLimit", errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(apps::DaemonSet(object).spec(), nullptr, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const apps::DaemonSetSpec spec = apps::DaemonSet(object).spec();
  const apps::DaemonSetSpec before = apps::DaemonSet(old).spec();
  ValidateImmutable(before.selector().AsValue(), spec.selector().AsValue(), "spec.selector",
                    errors);
  ValidateSpec(spec, &before, errors);
}

void ValidateStatus(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const apps::DaemonSetStatus status = apps::DaemonSet(object).status();
  const auto at = errors.At("status");
  ValidateNonNegative(status.current_number_scheduled(), "currentNumberScheduled", errors);
  ValidateNonNegative(status.number_misscheduled(), "numberMisscheduled", errors);
  ValidateNonNegative(status.desired_number_scheduled(), "desiredNumberScheduled", errors);
  ValidateNonNegative(status.number_ready(), "numberReady", errors);
  ValidateNonNegative(status.observed_generation(), "observedGeneration", errors);
  ValidateNonNegative(status.updated_number_scheduled(), "updatedNumberScheduled", errors);
  ValidateNonNegative(status.number_available(), "numberAvailable", errors);
  ValidateNonNegative(status.number_unavailable(), "numberUnavailable", errors);
  ValidateNonNegative(status.collision_count().value_or(0), "collisionCount", errors);
  ValidateNotDecremented(apps::DaemonSet(old).status().collision_count(), status.collision_count(),
                         "collisionCount", errors);
}

// The generation counts other changes too.
void WarnAboutDaemonSet(const object::Document& object, const object::Document* old,
                        const KindSettings&, std::vector<std::string>& warnings) {
  const views::core_v1::PodTemplateSpec pod = apps::DaemonSet(object).spec().template_();
  if (old != nullptr &&
      SameValue(apps::DaemonSet(*old).spec().template_().AsValue(), pod.AsValue())) {
    return;
  }
  WarnAboutPodTemplate(pod, "spec.template", warnings);
}

}  // namespace

const KindRules kDaemonSetRules = {.group = "apps",
                                   .kind = "DaemonSet",
                                   .create = ValidateCreate,
                                   .update = ValidateUpdate,
                                   .status = ValidateStatus,
                                   .warn = WarnAboutDaemonSet};

}  // namespace skiff::apiserver
