#include "apiserver/registry/resource/device_taint_rule_behaviour.h"

#include "views/resource.k8s.io/v1alpha3.h"

namespace skiff::apiserver {
namespace {

namespace taints = views::resource_k8s_io_v1alpha3;

// A taint that begins to do something else begins anew.
void UpdateTaintRule(const WriteContext& write, const object::Document& old,
                     object::Document& object) {
  if (!write.subresource.empty()) return;
  const taints::DeviceTaint before = taints::DeviceTaintRule(old).spec().taint();
  taints::MutableDeviceTaintRule rule(object);
  const taints::DeviceTaint taint = rule.Read().spec().taint();
  if (taint.effect() == before.effect() || taint.time_added() != before.time_added()) return;
  rule.mutable_spec().mutable_taint().set_time_added({write.now.seconds, 0});
}

}  // namespace

constinit const KindStrategy kDeviceTaintRuleStrategy = {"resource.k8s.io", "devicetaintrules",
                                                         nullptr, UpdateTaintRule};

}  // namespace skiff::apiserver
