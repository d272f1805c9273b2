// A cluster role with an aggregation rule has the rules of all cluster roles that the rule's label
// selectors match, such as `admin`, `edit` and `view`.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeClusterRoleAggregationController(ControllerContext context);

}  // namespace skiff::controllers
