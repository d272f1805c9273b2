// kube-controller-manager: the control loops in a process of their own.
#pragma once

#include <span>
#include <string_view>

namespace skiff {

// The words behind the name of the command; gives the code to exit with.
int RunKubeControllerManager(std::span<const std::string_view> words);

}  // namespace skiff
