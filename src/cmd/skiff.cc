// build/bin/skiff: all commands in one executable. Under the name etcd it is `skiff etcd`.
#include <cstdio>
#include <new>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/etcd.h"

int main(int argc, char** argv) {
  const std::string_view name = argc > 0 ? argv[0] : "";
  try {
    if (name.substr(name.rfind('/') + 1) == "etcd")
      return skiff::RunEtcd(std::vector<std::string_view>(argv + 1, argv + argc));
    return skiff::RunCommandLine(std::vector<std::string_view>(argv + (argc > 0), argv + argc));
  } catch (const std::bad_alloc&) {
    std::fputs("skiff: out of memory\n", stderr);
    return skiff::kExitFailure;
  }
}
