// The rules of a PodTemplate.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPodTemplateRules;

}  // namespace skiff::apiserver
