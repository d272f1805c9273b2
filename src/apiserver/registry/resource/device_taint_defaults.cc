#include "apiserver/registry/resource/device_taint_defaults.h"

#include <chrono>

namespace skiff::apiserver {
namespace {

void StampTaint(object::Value& taint, const RuleContext& context) {
  Clock* clock = context.settings.clock;
  if (clock == nullptr || taint.Find("timeAdded") != nullptr) return;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock->Wall());
  taint.Set(context.arena, "timeAdded", object::Value::Time({now.count(), 0}));
}

constexpr CodeRuleEntry kDefaults[] = {
    {"resource.k8s.io/v1", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1beta2", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1beta1", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1alpha3", "DeviceTaint", "timeAdded", StampTaint},
};

}  // namespace

std::span<const CodeRuleEntry> DeviceTaintDefaults() { return kDefaults; }

}  // namespace skiff::apiserver
