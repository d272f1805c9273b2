// Every namespace that is not being deleted has the service account `default`: made when it is
// missing, made again when it is deleted. What else there is of service accounts is left alone.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeServiceAccountsController(ControllerContext context);

}  // namespace skiff::controllers
