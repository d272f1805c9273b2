#include "cli/kube_controller_manager.h"

#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/command.h"
#include "cli/controller_manager_flags.h"
#include "cli/controller_manager_process.h"
#include "cli/host.h"
#include "cli/stop_signals.h"
#include "cli/version.h"

namespace skiff {
namespace {

// How soon the end of a process that lost its lease is noticed.
constexpr Duration kLookAround = std::chrono::milliseconds(100);

std::string HelpText() {
  std::string names;
  for (const ControllerSpec& spec : AllControllers()) {
    names += "  " + std::string(spec.name);
    if (!spec.on_by_default) names += " (off by default)";
    if (spec.make == nullptr) names += " (not there yet)";
    names += "\n";
  }
  return "Runs the control loops of Kubernetes " + std::string(kKubernetesVersion) +
         " against any API server.\n\nUsage:\n  kube-controller-manager [flags]\n\n" +
         ControllerManagerHelp() + "\nControllers:\n\n" + names;
}

std::string VersionOutput(const ControllerManagerCommandLine& line) {
  const std::string kubernetes = "Kubernetes " + std::string(kKubernetesVersion);
  if (line.version != "raw") return kubernetes + "\n";
  return kubernetes + ", Skiff " + std::string(kVersion) + "\n";
}

int Complain(const std::string& text, int code) {
  std::fprintf(stderr, "kube-controller-manager: %s\n", text.c_str());
  if (code == kExitUsage) std::fputs("Run 'kube-controller-manager --help' for usage.\n", stderr);
  return code;
}

int Run(const ControllerManagerCommandLine& line) {
  StopSignals signals;
  PrepareToServe();
  SystemClock clock;
  SystemRandom random;
  FileLogSink sink(STDERR_FILENO);
  Log log(clock, sink, line.log_level);
  for (const std::string& warning : line.warnings) log.Warning(warning);
  if (line.secure_port != 0 && !line.permit_port_sharing) {
    const Result<void> free = CheckPortFree(line.bind_address, line.secure_port,
                                            "choose another with --secure-port, or 0 for none");
    if (!free) return Complain(free.error().message(), kExitFailure);
  }
  log.Info("Starting", {{"version", std::string(kKubernetesVersion)}});
  auto process = ControllerManagerProcess::Start(line, clock, random, log);
  if (!process) return Complain(process.error().message(), kExitFailure);
  while (!(*process)->lost()) {
    if (!signals.WaitFor(kLookAround)) continue;
    signals.LetThemEndTheProcess();
    log.Info("stopping");
    (*process)->Stop();
    log.Info("stopped");
    return kExitSuccess;
  }
  log.Error("leaderelection lost");
  return kExitFailure;
}

}  // namespace

int RunKubeControllerManager(std::span<const std::string_view> words) {
  ControllerManagerCommandLine line;
  if (const Result<void> parsed = ParseControllerManagerFlags(words, line); !parsed) {
    return Complain(parsed.error().message(), kExitUsage);
  }
  if (line.help) return PrintText(HelpText());
  if (!line.version.empty()) return PrintText(VersionOutput(line));
  if (const Result<void> valid = Validate(line); !valid) {
    return Complain(valid.error().message(), kExitUsage);
  }
  return Run(line);
}

}  // namespace skiff
