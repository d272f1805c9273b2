// Tells in the status of admission policies what their expressions get wrong about types
// (policy_type_check.h), and which generation that was found out of.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeValidatingAdmissionPolicyStatusController(
    ControllerContext context);

}  // namespace skiff::controllers
