// Jobs with ttlSecondsAfterFinished are deleted, with what they own, that long after they ended.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeTtlAfterFinishedController(ControllerContext context);

}  // namespace skiff::controllers
