// Brings the deletion of namespaces to its end: what is in them is deleted, pods first; when
// nothing is left, the finalizer "kubernetes" of spec.finalizers is given up and the server removes
// the namespace. Until then conditions in its status say what it waits for.
//
// Nothing is ever done to a namespace that is not being deleted. A deletion is seen to some seconds
// after it was asked for, when every API server has heard of it and lets nobody create anything in
// the namespace any more.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeNamespaceController(ControllerContext context);

}  // namespace skiff::controllers
