// A volume attributes class that is being deleted stays while a claim or a volume has it; then its
// finalizer kubernetes.io/vac-protection is taken off. One that is not being deleted has it.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeVolumeAttributesClassProtectionController(
    ControllerContext context);

}  // namespace skiff::controllers
