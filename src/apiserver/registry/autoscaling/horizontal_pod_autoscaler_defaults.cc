#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler_defaults.h"

#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

// Version 1 of autoscalers holds other metrics than the processor's in an annotation.
bool HasOtherMetrics(const object::Value& autoscaler) {
  const object::Value* annotations = autoscaler.FindPath({"metadata", "annotations"});
  if (annotations == nullptr) return false;
  const auto metrics =
      object::DecodeJson(TextOf(*annotations, "autoscaling.alpha.kubernetes.io/metrics"), nullptr);
  return metrics && metrics->root().is_list() && metrics->root().size() != 0;
}

void DefaultCpuTarget(object::Value& autoscaler, const RuleContext& context) {
  object::Value& spec = MakePart(autoscaler, "spec", context.arena);
  if (spec.Find("targetCPUUtilizationPercentage") != nullptr) return;
  if (HasOtherMetrics(autoscaler)) return;
  spec.Set(context.arena, "targetCPUUtilizationPercentage", object::Value::Int(80));
}

constexpr CodeRuleEntry kDefaults[] = {
    {"autoscaling/v1", "HorizontalPodAutoscaler", "spec.targetCPUUtilizationPercentage",
     DefaultCpuTarget},
};

}  // namespace

std::span<const CodeRuleEntry> AutoscalerDefaults() { return kDefaults; }

}  // namespace skiff::apiserver
