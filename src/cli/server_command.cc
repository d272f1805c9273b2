#include "cli/server_command.h"

#include "cli/manual.h"
#include "cli/version.h"

namespace skiff {
namespace {

std::string VersionText(std::string_view asked) {
  std::string out = "Kubernetes " + std::string(kKubernetesVersion);
  if (asked == "raw") out += ", Skiff " + std::string(kVersion);
  return out + '\n';
}

}  // namespace

int RunServer(const Command& command, ServerRun& run, std::span<const std::string_view> words) {
  FlagSet flags;
  run.Declare(flags);
  Result<void> parsed = flags.Parse(words);
  if (parsed && run.line().help) return PrintText(HelpOn(&command, HelpFormat::kText));
  if (parsed && !run.line().version.empty()) return PrintText(VersionText(run.line().version));
  if (parsed) parsed = run.Check();
  if (!parsed) return Complain(command.full_name(), parsed.error().message(), kExitUsage);
  return run.Run();
}

}  // namespace skiff
