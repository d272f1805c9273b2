// build/bin/kube-apiserver: the API server alone, with the flags of Kubernetes' own.
#include "cli/apiserver/kube_apiserver.h"

#include <cstdio>
#include <new>
#include <string_view>
#include <vector>

#include "cli/commands.h"

int main(int argc, char** argv) {
  try {
    return skiff::RunCommand(skiff::KubeApiServerCommand(),
                             std::vector<std::string_view>(argv + (argc > 0), argv + argc));
  } catch (const std::bad_alloc&) {
    std::fputs("kube-apiserver: out of memory\n", stderr);
    return skiff::kExitFailure;
  }
}
