// The whole of kube-apiserver but for its main().
#pragma once

#include <span>
#include <string_view>

#include "cli/command.h"

namespace skiff {

// What help, manual page and completion say of it.
const Command& KubeApiServerCommand();

// From the words after its name to the exit code.
int RunKubeApiServer(std::span<const std::string_view> words);

}  // namespace skiff
