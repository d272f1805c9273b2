#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler.h"

#include <algorithm>
#include <string>

#include "apiserver/registry/autoscaling/metric_sources.h"
#include "apiserver/validation/common.h"
#include "views/autoscaling/v2.h"

namespace skiff::apiserver {
namespace {

namespace autoscaling = views::autoscaling_v2;

constexpr int32_t kMaxPeriodSeconds = 1800;
constexpr int32_t kMaxStabilizationSeconds = 3600;

struct Options {
  int32_t min_replicas = 1;
  ReferenceOptions target = {};
  ReferenceOptions metrics = {.allow_no_group = true};
};

void ValidateScalingPolicy(const autoscaling::HPAScalingPolicy& policy, FieldErrors& errors) {
  ValidateOneOf(policy.type(), {"Percent", "Pods"}, "type", errors);
  if (policy.value() <= 0) errors.Invalid("value", policy.value(), "must be greater than zero");
  const int32_t period = policy.period_seconds();
  if (period <= 0) errors.Invalid("periodSeconds", period, "must be greater than zero");
  if (period > kMaxPeriodSeconds) {
    errors.Invalid("periodSeconds", period, "must be less than or equal to 1800");
  }
}

void ValidateScalingRules(const autoscaling::HPAScalingRules& rules, std::string_view field,
                          FieldErrors& errors) {
  if (rules.AsValue() == nullptr) return;
  const auto at = errors.At(field);
  if (const auto window = rules.stabilization_window_seconds()) {
    if (*window < 0) {
      errors.Invalid("stabilizationWindowSeconds", *window,
                     "must be greater than or equal to zero");
    }
    if (*window > kMaxStabilizationSeconds) {
      errors.Invalid("stabilizationWindowSeconds", *window, "must be less than or equal to 3600");
    }
  }
  if (const auto select = rules.select_policy()) {
    ValidateOneOf(*select, {"Disabled", "Max", "Min"}, "selectPolicy", errors);
  }
  const auto policies = rules.policies();
  if (policies.empty()) errors.Required("policies", "must specify at least one Policy");
  for (size_t i = 0; i < policies.size(); ++i) {
    const auto at_policy = errors.At("policies", i);
    ValidateScalingPolicy(policies[i], errors);
  }
  if (const auto tolerance = rules.tolerance()) {
    ValidateNonNegativeQuantity(*tolerance, "tolerance", errors);
  }
}

void ValidateReplicas(const autoscaling::HorizontalPodAutoscalerSpec& spec, int32_t lower_bound,
                      FieldErrors& errors) {
  const auto min = spec.min_replicas();
  const int32_t max = spec.max_replicas();
  if (min && *min < lower_bound) {
    errors.Invalid("minReplicas", *min,
                   "must be greater than or equal to " + std::to_string(lower_bound));
  }
  if (max == 0) {
    errors.Required("maxReplicas", "must be set and greater than 0");
  } else if (max < 0) {
    errors.Invalid("maxReplicas", max, "must be greater than or equal to 1");
  }
  if (min && max < *min) {
    errors.Invalid("maxReplicas", max, "must be greater than or equal to `minReplicas`");
  }
}

void ValidateMetrics(const autoscaling::HorizontalPodAutoscalerSpec& spec,
                     const ReferenceOptions& options, FieldErrors& errors) {
  const auto metrics = spec.metrics();
  bool counts_without_pods = false;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto at = errors.At("metrics", i);
    ValidateMetric(metrics[i], options, errors);
    counts_without_pods |= metrics[i].type() == "Object" || metrics[i].type() == "External";
  }
  if (spec.min_replicas() == 0 && !counts_without_pods) {
    errors.Forbidden("metrics",
                     "must specify at least one Object or External metric to support scaling to "
                     "zero replicas");
  }
}

void ValidateSpec(const autoscaling::HorizontalPodAutoscalerSpec& spec, const Options& options,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateReplicas(spec, options.min_replicas, errors);
  {
    const auto at_target = errors.At("scaleTargetRef");
    ValidateReference(spec.scale_target_ref(), options.target, errors);
  }
  ValidateMetrics(spec, options.metrics, errors);
  if (!spec.has_behavior()) return;
  const auto at_behavior = errors.At("behavior");
  ValidateScalingRules(spec.behavior().scale_up(), "scaleUp", errors);
  ValidateScalingRules(spec.behavior().scale_down(), "scaleDown", errors);
}

Options OptionsOf(const autoscaling::HorizontalPodAutoscalerSpec& spec, const FieldErrors& errors) {
  Options options;
  if (errors.IsOn("HPAScaleToZero")) options.min_replicas = 0;
  options.target.allow_no_group = spec.scale_target_ref().kind() == "ReplicationController";
  return options;
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const auto spec = autoscaling::HorizontalPodAutoscaler(object).spec();
  ValidateSpec(spec, OptionsOf(spec, errors), errors);
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const auto spec = autoscaling::HorizontalPodAutoscaler(object).spec();
  const auto before = autoscaling::HorizontalPodAutoscaler(old).spec();
  Options options = OptionsOf(spec, errors);
  if (before.min_replicas() == 0) options.min_replicas = 0;
  if (before.scale_target_ref().api_version() == spec.scale_target_ref().api_version() &&
      before.scale_target_ref().kind() == spec.scale_target_ref().kind()) {
    options.target = {.allow_any_version = true};
  }
  const auto metrics = before.metrics();
  options.metrics.allow_any_version =
      std::any_of(metrics.begin(), metrics.end(), [&](const auto& metric) {
        return metric.type() == "Object" && metric.has_object() &&
               !IsVersionOfReference(metric.object().described_object(), options.metrics);
      });
  ValidateSpec(spec, options, errors);
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  const auto status = autoscaling::HorizontalPodAutoscaler(object).status();
  ValidateNonNegative(status.current_replicas(), "status.currentReplicas", errors);
  ValidateNonNegative(status.desired_replicas(), "status.desiredReplicas", errors);
}

}  // namespace

const KindRules kHorizontalPodAutoscalerRules = {.group = "autoscaling",
                                                 .kind = "HorizontalPodAutoscaler",
                                                 .create = ValidateCreate,
                                                 .update = ValidateUpdate,
                                                 .status = ValidateStatus};

}  // namespace skiff::apiserver
