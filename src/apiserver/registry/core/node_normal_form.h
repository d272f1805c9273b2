// What a Node becomes by being read: podCIDR and the first of podCIDRs agree.
#pragma once

#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {

extern const NormalForm kNodeNormalForm;

}  // namespace skiff::apiserver
