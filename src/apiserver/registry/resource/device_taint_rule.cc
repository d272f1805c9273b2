#include "apiserver/registry/resource/device_taint_rule.h"

#include "apiserver/registry/core/volumes.h"
#include "apiserver/registry/resource/devices.h"
#include "views/resource.k8s.io/v1alpha3.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1alpha3;

constexpr size_t kMaxConditions = 8;

void Validate(const resource::DeviceTaintRuleSpec& spec, bool effect_is_new, FieldErrors& errors) {
  const auto at = errors.At("spec");
  {
    const resource::DeviceTaintSelector selector = spec.device_selector();
    const auto place = errors.At("deviceSelector");
    if (selector.driver()) ValidateCsiDriverName(*selector.driver(), "driver", errors);
    if (selector.pool()) ValidatePoolName(*selector.pool(), "pool", errors);
    if (selector.device()) ValidateFormat(kDnsLabelFormat, *selector.device(), "device", errors);
  }
  const auto taint = errors.At("taint");
  ValidateDeviceTaint(spec.taint(), effect_is_new, errors);
}

void ValidateDeviceTaintRule(const object::Document& object, FieldErrors& errors) {
  Validate(resource::DeviceTaintRule(object).spec(), true, errors);
}

void ValidateDeviceTaintRuleUpdate(const object::Document& object, const object::Document& old,
                                   FieldErrors& errors) {
  const resource::DeviceTaintRuleSpec spec = resource::DeviceTaintRule(object).spec();
  const resource::DeviceTaintRuleSpec before = resource::DeviceTaintRule(old).spec();
  Validate(spec, spec.taint().effect() != before.taint().effect(), errors);
}

void ValidateDeviceTaintRuleStatus(const object::Document& object, const object::Document&,
                                   FieldErrors& errors) {
  const auto conditions = resource::DeviceTaintRule(object).status().conditions();
  const auto at = errors.At("status");
  ValidateConditions(conditions, "conditions", errors);
  if (conditions.size() > kMaxConditions) {
    errors.TooMany("conditions", conditions.size(), kMaxConditions);
  }
}

}  // namespace

constinit const KindRules kDeviceTaintRuleRules = {.group = "resource.k8s.io",
                                                   .kind = "DeviceTaintRule",
                                                   .create = ValidateDeviceTaintRule,
                                                   .update = ValidateDeviceTaintRuleUpdate,
                                                   .status = ValidateDeviceTaintRuleStatus};

}  // namespace skiff::apiserver
