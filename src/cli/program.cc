#include "cli/program.h"

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/etcd/etcd.h"

namespace skiff::cli {
namespace {

constexpr std::string_view kSkiff = "skiff";
constexpr std::string_view kEtcd = "etcd";

bool Means(std::string_view path, std::string_view program) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(program)) return false;
  name.remove_prefix(program.size());
  return name.empty() || std::string_view("-._").find(name.front()) != std::string_view::npos;
}

}  // namespace

std::string_view ProgramOf(std::string_view called, std::string_view executed) {
  std::vector<std::string_view> programs = {kSkiff, kEtcd};
  for (const Command* server : AllServers()) programs.push_back(server->program);
  for (const std::string_view path : {called, executed}) {
    for (const std::string_view program : programs) {
      if (Means(path, program)) return program;
    }
  }
  return kSkiff;
}

int RunProgram(std::string_view program, std::span<const std::string_view> words) {
  for (const Command* server : AllServers()) {
    if (server->program == program) return RunCommand(*server, words);
  }
  if (program != kEtcd) return RunCommandLine(words);
  const std::vector<std::string> dashed = WithTwoDashes(words);
  const std::vector<std::string_view> all(dashed.begin(), dashed.end());
  return RunCommand(*FindCommand(kEtcd), all);
}

}  // namespace skiff::cli
