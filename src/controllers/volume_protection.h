// A persistent volume that is being deleted stays while it is bound to a claim; then its finalizer
// kubernetes.io/pv-protection is taken off.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeVolumeProtectionController(ControllerContext context);

}  // namespace skiff::controllers
