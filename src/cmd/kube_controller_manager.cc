// build/bin/kube-controller-manager: the control loops alone, with the flags of Kubernetes' own.
#include "cli/controller_manager/kube_controller_manager.h"

#include <cstdio>
#include <new>
#include <string_view>
#include <vector>

#include "cli/commands.h"

int main(int argc, char** argv) {
  try {
    return skiff::RunCommand(skiff::KubeControllerManagerCommand(),
                             std::vector<std::string_view>(argv + (argc > 0), argv + argc));
  } catch (const std::bad_alloc&) {
    std::fputs("kube-controller-manager: out of memory\n", stderr);
    return skiff::kExitFailure;
  }
}
