// Every namespace that is not being deleted has the config map kube-root-ca.crt with the
// certificate of the cluster's CA, which pods trust the API server by. Changed or deleted, it is
// put back.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeRootCaController(ControllerContext context);

}  // namespace skiff::controllers
