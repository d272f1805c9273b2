// A volume attributes class that is being deleted stays while a claim or a volume has it; then its
// finalizer kubernetes.io/vac-protection is taken off. While it is in use it has that finalizer.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff {

std::unique_ptr<Controller> MakeVolumeAttributesClassProtectionController(ControllerContext context);

}  // namespace skiff
