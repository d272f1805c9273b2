// The main() of build/bin/skiff, which is all programs: see cli/program.h.
#include <cstdio>
#include <new>
#include <string_view>
#include <vector>

#include <sys/auxv.h>

#include "cli/common/command.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  const auto* path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  std::string_view program = "skiff";
  try {
    program = skiff::cli::ProgramOf(argc > 0 ? argv[0] : "", path != nullptr ? path : "");
    return skiff::cli::RunProgram(program,
                                  std::vector<std::string_view>(argv + (argc > 0), argv + argc));
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%.*s: out of memory\n", static_cast<int>(program.size()), program.data());
    return skiff::cli::kExitFailure;
  }
}
