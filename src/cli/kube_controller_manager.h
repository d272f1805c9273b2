// kube-controller-manager: the control loops in a process of their own.
#pragma once

#include <span>
#include <string_view>

#include "cli/command.h"

namespace skiff {

// What help, manual page and completion say of it.
const Command& KubeControllerManagerCommand();

// The words behind the name of the command; gives the code to exit with.
int RunKubeControllerManager(std::span<const std::string_view> words);

}  // namespace skiff
