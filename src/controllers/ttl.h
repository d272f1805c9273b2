// How long node agents may use what they know of secrets and config maps: an annotation of every
// node, in seconds, that grows with the number of nodes so that large clusters do not ask too
// often.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeTtlController(ControllerContext context);

}  // namespace skiff::controllers
