// What a PodDisruptionBudget becomes by being read: the label that once marked empty selectors is
// not mixed with others.
#pragma once

#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {

extern const NormalForm kPodDisruptionBudgetNormalForm;

}  // namespace skiff::apiserver
