// What a HorizontalPodAutoscaler of version 2 becomes by being read: annotations of version 1 for
// what are fields are dropped.
#pragma once

#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {

extern const NormalForm kHorizontalPodAutoscalerNormalForm;

}  // namespace skiff::apiserver
