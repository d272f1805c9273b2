// Tokens that were made for service accounts in older clusters and that nobody has used for a year:
// once a day their secrets are labelled invalid, and deleted when another year has passed without
// anybody missing them. Secrets that people made themselves or that pods mount are left alone.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeLegacyTokenCleanerController(ControllerContext context);

}  // namespace skiff::controllers
