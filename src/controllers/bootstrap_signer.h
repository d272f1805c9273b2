// The config map kube-public/cluster-info, which nodes that join may read without credentials, is
// signed with every bootstrap token that is good for signing: who knows the token can tell that the
// kubeconfig in it is genuine. Signatures are detached JWS (HS256) under jws-kubeconfig-<token id>.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeBootstrapSignerController(ControllerContext context);

}  // namespace skiff::controllers
