// Tokens that live in secrets of type kubernetes.io/service-account-token, as people who still want
// them ask for. A secret that names a service account of its namespace gets its token, the
// namespace and the cluster's CA; it is deleted when the account is gone or is another of the same
// name. Without a private key to sign with there is no loop.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeServiceAccountTokensController(ControllerContext context);

}  // namespace skiff::controllers
