// The parts of the table of kube-controller-manager's flags, see controller_manager_flags.h.
#pragma once

#include <span>
#include <vector>

#include "cli/controller_manager/controller_manager_flags.h"

namespace skiff::cli {

// A flag of a loop that is not there yet.
constexpr ControllerManagerFlag Missing(std::string_view name, std::string_view type,
                                        std::string_view loop, std::string_view default_text = {}) {
  return {.name = name,
          .type = type,
          .section = loop,
          .about = {},
          .effect = FlagEffect::kIgnored,
          .default_text = default_text};
}

std::vector<ControllerManagerFlag> ControllerManagerProcessFlags();
std::span<const ControllerManagerFlag> ControllerManagerLoopFlags();

}  // namespace skiff::cli
