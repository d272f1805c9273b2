#include "cli/controller_manager/kube_controller_manager.h"

#include <unistd.h>

#include <memory>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/random.h"
#include "base/version.h"
#include "cli/common/host.h"
#include "cli/common/shutdown_watchdog.h"
#include "cli/common/stop_signals.h"
#include "cli/controller_manager/controller_manager_flags.h"
#include "cli/controller_manager/controller_manager_process.h"

namespace skiff::cli {
namespace {

// How soon the end of a process that lost its lease is noticed.
constexpr Duration kLookAround = std::chrono::milliseconds(100);

constexpr std::string_view kName = "kube-controller-manager";
constexpr std::string_view kAbout =
    "Runs control loops of Kubernetes v1.36 against any API server, until SIGTERM or SIGINT. The "
    "flags are Kubernetes' own. Those of loops that are not there yet are ignored with a warning. "
    "'skiff up' runs the same loops in its own process.";
constexpr Example kExamples[] = {
    {"each loop with the rights of its own account",
     "kube-controller-manager --kubeconfig manager.kubeconfig --use-service-account-credentials "
     "--root-ca-file ca.crt --service-account-private-key-file sa.key"},
};
constexpr std::string_view kExitCodes[] = {
    "it was stopped in order",
    "it cannot be started, lost its lease to another, or did "
    "not stop in time",
    "the command line is wrong"};

// With the loops, each in a paragraph of its kind.
std::string Description() {
  std::string on, off, missing;
  for (const controllers::ControllerSpec& spec : controllers::AllControllers()) {
    std::string& list = spec.make == nullptr ? missing : spec.on_by_default ? on : off;
    list.append(list.empty() ? "" : ", ").append(spec.name);
  }
  return std::string(kAbout) + "\n\nLoops that run: " + on +
         ".\n\nLoops that run if --controllers names them: " + off +
         ".\n\nLoops that are not there yet: " + missing + ".";
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
    if (!free) return ReportFailure(std::string(kName), free.error().message(), kExitFailure);
  }
  log.Info("Starting", {{"version", std::string(kKubernetesVersion)}});
  ShutdownWatchdog shutdown_watchdog(clock, log);
  auto process = ControllerManagerProcess::Start(line, clock, random, log);
  if (!process) return ReportFailure(std::string(kName), process.error().message(), kExitFailure);
  while (!(*process)->lost()) {
    if (!signals.WaitFor(kLookAround)) continue;
    signals.RestoreDefaultActions();
    shutdown_watchdog.Arm(line.shutdown_timeout + limits::kShutdownMargin,
                          [&process = **process] { return process.UnderWay(); });
    log.Info("stopping");
    (*process)->Stop();
    shutdown_watchdog.SetStage("its connections are being closed");
    log.Info("stopped");
    return kExitSuccess;
  }
  log.Error("leaderelection lost");
  return kExitFailure;
}

class ControllerManagerRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    flags = ServerFlagSet<ControllerManagerCommandLine>(AllControllerManagerFlags(), line_);
  }
  Result<void> Check() override { return Validate(line_); }
  int Run() override { return cli::Run(line_); }
  const ServerCommandLine* server_line() const override { return &line_; }

 private:
  ControllerManagerCommandLine line_;
};

std::unique_ptr<CommandRun> MakeControllerManager() {
  return std::make_unique<ControllerManagerRun>();
}

}  // namespace

const Command& KubeControllerManagerCommand() {
  static const std::string description = Description();
  static const Command command = {
      "",          "run the control loops of Kubernetes",
      description, kExamples,
      kExitCodes,  MakeControllerManager,
      kName,
  };
  return command;
}

}  // namespace skiff::cli
