// The parts of the table of kube-controller-manager's flags, see controller_manager_flags.h.
#pragma once

#include <span>

#include "cli/controller_manager_flags.h"

namespace skiff {

std::span<const ControllerManagerFlag> ControllerManagerProcessFlags();
std::span<const ControllerManagerFlag> ControllerManagerLoopFlags();
std::span<const ControllerManagerFlag> ControllerManagerFurtherLoopFlags();

}  // namespace skiff
