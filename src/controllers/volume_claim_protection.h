// A persistent volume claim that is being deleted stays until no pod uses it; then its finalizer
// kubernetes.io/pvc-protection is taken off.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeVolumeClaimProtectionController(ControllerContext context);

}  // namespace skiff::controllers
