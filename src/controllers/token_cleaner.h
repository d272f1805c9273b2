// Bootstrap tokens (secrets of their type in kube-system) are deleted when they expire.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeTokenCleanerController(ControllerContext context);

}  // namespace skiff::controllers
