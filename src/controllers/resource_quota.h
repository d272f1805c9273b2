// What quotas say is used is counted anew: when a quota is new or changed, when something that it
// counts is deleted, and for all of them from time to time. Admission only ever adds to it.
//
// Nothing but quotas is watched while there is none; with the first one, what the server serves is
// watched too, and objects that only count by their number by their metadata alone.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeResourceQuotaController(ControllerContext context);

}  // namespace skiff::controllers
