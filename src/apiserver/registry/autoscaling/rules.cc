#include "apiserver/registry/autoscaling/rules.h"

#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler.h"

namespace skiff {

std::span<const KindRules> AutoscalerRules() {
  static const KindRules kRules[] = {
      kHorizontalPodAutoscalerRules,
  };
  return kRules;
}

}  // namespace skiff
