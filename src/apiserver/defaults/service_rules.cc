// Of services and autoscalers.
#include "apiserver/defaults/code_rules.h"
#include "apiserver/defaults/wire_rules.h"
#include "object/json/decode.h"

namespace skiff {
namespace {

// How long affinity lasts means nothing where there is none.
void DropUnusedAffinityConfig(Value& service, const RuleContext&) {
  Value* spec = PartOf(service, "spec");
  if (spec != nullptr && TextOf(*spec, "sessionAffinity") == "None") {
    spec->Erase("sessionAffinityConfig");
  }
}

bool IsZeroOrEmpty(const Value& number_or_name) {
  if (number_or_name.tag() == Tag::kInt) return number_or_name.AsInt() == 0;
  return !number_or_name.is_string() || number_or_name.AsText().empty();
}

void DefaultTargetPort(Value& port, const RuleContext& context) {
  const Value* target = port.Find("targetPort");
  if (target != nullptr && !IsZeroOrEmpty(*target)) return;
  const Value* own = port.Find("port");
  port.Set(context.arena, "targetPort", Value::Int(own == nullptr ? 0 : own->AsInt()));
}

void DefaultIngressIpMode(Value& service, const RuleContext& context) {
  Value* spec = PartOf(service, "spec");
  Value* status = PartOf(service, "status");
  if (spec == nullptr || status == nullptr || TextOf(*spec, "type") != "LoadBalancer") return;
  Value* balancer = PartOf(*status, "loadBalancer");
  if (balancer == nullptr) return;
  for (Value& ingress : ItemsOf(*balancer, "ingress")) {
    if (TextOf(ingress, "ip").empty() || ingress.Find("ipMode") != nullptr) continue;
    ingress.Set(context.arena, "ipMode", Value::String("VIP"));
  }
}

// Version 1 of autoscalers holds other metrics than the processor's in an annotation.
bool HasOtherMetrics(const Value& autoscaler) {
  const Value* annotations = autoscaler.FindPath({"metadata", "annotations"});
  if (annotations == nullptr) return false;
  const auto metrics =
      DecodeJson(TextOf(*annotations, "autoscaling.alpha.kubernetes.io/metrics"), nullptr);
  return metrics && metrics->root().is_list() && metrics->root().size() != 0;
}

void DefaultCpuTarget(Value& autoscaler, const RuleContext& context) {
  Value& spec = MakePart(autoscaler, "spec", context.arena);
  if (spec.Find("targetCPUUtilizationPercentage") != nullptr) return;
  if (HasOtherMetrics(autoscaler)) return;
  spec.Set(context.arena, "targetCPUUtilizationPercentage", Value::Int(80));
}

constexpr CodeRuleEntry kRules[] = {
    {"core/v1", "Service", "spec.sessionAffinityConfig", DropUnusedAffinityConfig,
     HasNoUnusedAffinityConfig},
    {"core/v1", "ServicePort", "targetPort", DefaultTargetPort, HasTargetPort},
    {"core/v1", "Service", "status.loadBalancer.ingress[*].ipMode", DefaultIngressIpMode,
     HasIngressIpModes},
    {"autoscaling/v1", "HorizontalPodAutoscaler", "spec.targetCPUUtilizationPercentage",
     DefaultCpuTarget},
};

}  // namespace

std::span<const CodeRuleEntry> ServiceRules() { return kRules; }

}  // namespace skiff
