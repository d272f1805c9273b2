#include "cli/apiserver/kube_apiserver.h"

#include <unistd.h>

#include <memory>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/apiserver/apiserver_flags.h"
#include "cli/common/host.h"
#include "cli/common/shutdown_watchdog.h"
#include "cli/common/stop_signals.h"
#include "pki/cluster_pki.h"
#include "pki/files.h"

namespace skiff::cli {
namespace {

constexpr Duration kForLong = std::chrono::hours(24 * 365);

constexpr std::string_view kName = "kube-apiserver";
constexpr std::string_view kDescription =
    "Serves the API of Kubernetes v1.36 on an etcd (--etcd-servers) or on a store of its own "
    "(--data-dir), until SIGTERM or SIGINT. The flags are Kubernetes' own. Those that are not "
    "supported yet are ignored with a warning where that is harmless, and refused where it is not."
    "\n\n'skiff up' runs the same server with keys and certificates that it makes itself.";
constexpr Example kExamples[] = {
    {"on an etcd, with a certificate that it makes itself",
     "kube-apiserver --etcd-servers http://127.0.0.1:2379 --cert-dir certs "
     "--service-account-issuer https://kubernetes.default.svc "
     "--service-account-key-file sa.pub --service-account-signing-key-file sa.key"},
};
constexpr std::string_view kExitCodes[] = {"it was stopped in order",
                                           "it cannot be started, or did not stop in time",
                                           "the command line is wrong"};

// Without a certificate the server makes one that signs itself, as kube-apiserver does.
Result<void> EnsureServingCertificate(ApiServerCommandLine& line, Clock& clock) {
  apiserver::ApiServerOptions& options = line.options;
  if (!options.tls.cert_file.empty() || !options.tls.private_key_file.empty()) return {};
  SKIFF_RETURN_IF_ERROR(pki::MakeDirectories(line.cert_dir, 0755));
  const std::string cert_file = line.cert_dir + "/apiserver.crt";
  const std::string key_file = line.cert_dir + "/apiserver.key";
  pki::ServerNames names;
  names.dns_names = {"kubernetes.default.svc", "kubernetes.default", "kubernetes", "localhost"};
  names.ip_addresses = {IpAddress::LoopbackV4()};
  if (options.advertise_address) names.ip_addresses.push_back(*options.advertise_address);
  for (const IpRange& range : options.service.cluster_ip_ranges) {
    if (const auto first = range.At(1)) names.ip_addresses.push_back(*first);
  }
  SKIFF_RETURN_IF_ERROR(
      pki::EnsureSelfSigned(cert_file, key_file, options.external_hostname, names, clock));
  options.tls.cert_file = cert_file;
  options.tls.private_key_file = key_file;
  return {};
}

Result<void> Serve(ApiServerCommandLine& line) {
  StopSignals signals;
  PrepareToServe();
  SystemClock clock;
  SystemRandom random;
  FileLogSink sink(STDERR_FILENO);
  Log log(clock, sink, line.options.log_level);
  for (const std::string& warning : line.warnings) log.Warning(warning);
  const bool wanted_anonymous = line.options.anonymous_auth;
  apiserver::FillDerived(line.options, FindHostFacts());
  if (wanted_anonymous && !line.options.anonymous_auth) {
    log.Warning("anonymous requests are not accepted, as AlwaysAllow would let them do everything");
  }
  SKIFF_RETURN_IF_ERROR(EnsureServingCertificate(line, clock));
  // What derives from the certificate's key is known only now.
  apiserver::FillDerived(line.options, {});
  SKIFF_RETURN_IF_ERROR(apiserver::Validate(line.options));
  if (!line.options.permit_port_sharing) {
    SKIFF_RETURN_IF_ERROR(CheckPortFree(line.options.bind_address, line.options.secure_port,
                                        "choose another with --secure-port"));
  }
  bool asked_to_stop = false;
  line.options.give_up = [&] {
    return asked_to_stop = asked_to_stop || signals.WaitFor(Duration::zero()).has_value();
  };
  line.options.shown_flags = [&line] {
    return ShowFlags<ApiServerCommandLine>(AllApiServerFlags(), line);
  };
  ShutdownWatchdog shutdown_watchdog(clock, log);
  const Result<std::unique_ptr<apiserver::ApiServer>> server =
      apiserver::ApiServer::Start(line.options, clock, random, log);
  if (asked_to_stop) {
    log.Info("stopped before it was ready");
    return {};
  }
  if (!server) return std::unexpected(server.error());
  while (!signals.WaitFor(kForLong)) {
  }
  signals.RestoreDefaultActions();
  shutdown_watchdog.Arm((*server)->DrainTime() + limits::kShutdownMargin,
                        [&server = **server] { return server.UnderWay(); });
  log.Info("stopping");
  (*server)->Drain();
  shutdown_watchdog.SetStage("the store is being closed");
  log.Info("stopped");
  return {};
}

class ApiServerRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    flags = ServerFlagSet<ApiServerCommandLine>(AllApiServerFlags(), line_);
  }
  int Run() override {
    const Result<void> served = Serve(line_);
    if (served) return kExitSuccess;
    return ReportFailure(std::string(kName), served.error().message(), kExitFailure);
  }
  const ServerCommandLine* server_line() const override { return &line_; }

 private:
  ApiServerCommandLine line_;
};

std::unique_ptr<CommandRun> MakeApiServer() { return std::make_unique<ApiServerRun>(); }

}  // namespace

const Command& KubeApiServerCommand() {
  static const Command command = {
      "", "serve the API of Kubernetes", kDescription, kExamples, kExitCodes, MakeApiServer, kName,
  };
  return command;
}

}  // namespace skiff::cli
