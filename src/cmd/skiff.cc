// build/bin/skiff: all commands in one executable.
#include <cstdio>
#include <new>
#include <string_view>
#include <vector>

#include "cli/command.h"

int main(int argc, char** argv) {
  try {
    return skiff::RunCommandLine(std::vector<std::string_view>(argv + (argc > 0), argv + argc));
  } catch (const std::bad_alloc&) {
    std::fputs("skiff: out of memory\n", stderr);
    return skiff::kExitFailure;
  }
}
