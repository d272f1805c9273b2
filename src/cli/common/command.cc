#include "cli/common/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace skiff::cli {

std::string Command::full_name() const {
  std::string out(program);
  if (!name.empty()) out.append(" ").append(name);
  return out;
}

int PrintText(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kExitSuccess;
  std::fprintf(stderr, "skiff: cannot write standard output: %s\n", std::strerror(errno));
  return kExitFailure;
}

int ReportFailure(const std::string& who, const std::string& what, int code) {
  std::fprintf(stderr, "%s: %s\n", who.c_str(), what.c_str());
  if (code == kExitUsage) std::fprintf(stderr, "Run '%s --help' for usage.\n", who.c_str());
  return code;
}

}  // namespace skiff::cli
