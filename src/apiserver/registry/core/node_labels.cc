#include "apiserver/registry/core/node_labels.h"

namespace skiff::apiserver {
namespace {

struct OldLabel {
  std::string_view key;
  std::string_view now;
  std::string_view text;
};
constexpr OldLabel kOldLabels[] = {
    {"beta.kubernetes.io/arch", "kubernetes.io/arch",
     "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "kubernetes.io/os",
     "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods", "",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

const OldLabel* Find(std::string_view key) {
  for (const OldLabel& label : kOldLabels) {
    if (label.key == key) return &label;
  }
  return nullptr;
}

}  // namespace

std::string_view DeprecationOfNodeLabel(std::string_view key) {
  const OldLabel* label = Find(key);
  return label != nullptr ? label->text : std::string_view();
}

std::string_view StableNodeLabel(std::string_view key) {
  const OldLabel* label = Find(key);
  return label != nullptr ? label->now : std::string_view();
}

}  // namespace skiff::apiserver
