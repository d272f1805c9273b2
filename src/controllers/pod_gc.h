// Pods that no node agent will ever see to: ended ones beyond a threshold, oldest first; ones of
// nodes that are gone; terminating ones that were never scheduled; and terminating ones of nodes
// that an operator has declared out of service. Every twenty seconds.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakePodGcController(ControllerContext context);

}  // namespace skiff::controllers
