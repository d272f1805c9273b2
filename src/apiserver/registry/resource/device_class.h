// The rules of a DeviceClass: its selectors and configuration.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kDeviceClassRules;

}  // namespace skiff::apiserver
