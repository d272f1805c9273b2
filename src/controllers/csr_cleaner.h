// Certificate signing requests that nobody needs any more are deleted: approved, denied or failed
// ones after an hour, ones that nobody has decided on after a day, and those whose certificate has
// expired.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeCsrCleanerController(ControllerContext context);

}  // namespace skiff::controllers
