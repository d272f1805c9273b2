// kube-apiserver as a command: its description and its run.
#pragma once

#include "cli/common/command.h"

namespace skiff::cli {

const Command& KubeApiServerCommand();

}  // namespace skiff::cli
