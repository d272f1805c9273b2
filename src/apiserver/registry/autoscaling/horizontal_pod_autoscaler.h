// The rules of a HorizontalPodAutoscaler: what it scales, by which metrics, and how fast.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kHorizontalPodAutoscalerRules;

}  // namespace skiff::apiserver
