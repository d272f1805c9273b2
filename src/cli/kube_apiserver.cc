#include "cli/kube_apiserver.h"

#include <unistd.h>

#include <cstdio>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/apiserver_flags.h"
#include "cli/command.h"
#include "cli/host.h"
#include "cli/stop_signals.h"
#include "cli/version.h"
#include "pki/cluster_pki.h"
#include "pki/files.h"

namespace skiff {
namespace {

constexpr Duration kForLong = std::chrono::hours(24 * 365);

std::string HelpText() {
  return "Serves the API of Kubernetes " + std::string(kKubernetesVersion) +
         ", on an etcd (--etcd-servers) or on a store of its own (--data-dir).\n\nUsage:\n"
         "  kube-apiserver [flags]\n\n" +
         ApiServerHelp();
}

std::string VersionOutput(const ApiServerCommandLine& line) {
  if (line.version == "raw") {
    return "Kubernetes " + std::string(kKubernetesVersion) + ", Skiff " + std::string(kVersion) +
           "\n";
  }
  return "Kubernetes " + std::string(kKubernetesVersion) + "\n";
}

int Complain(const std::string& text, int code) {
  std::fprintf(stderr, "kube-apiserver: %s\n", text.c_str());
  if (code == kExitUsage) std::fputs("Run 'kube-apiserver --help' for usage.\n", stderr);
  return code;
}

// Without a certificate the server makes one that signs itself, as kube-apiserver does.
Result<void> EnsureServingCertificate(ApiServerCommandLine& line, Clock& clock) {
  ApiServerOptions& options = line.options;
  if (!options.tls.cert_file.empty() || !options.tls.private_key_file.empty()) return {};
  SKIFF_RETURN_IF_ERROR(MakeDirectories(line.cert_dir, 0755));
  const std::string cert_file = line.cert_dir + "/apiserver.crt";
  const std::string key_file = line.cert_dir + "/apiserver.key";
  ServerNames names;
  names.dns_names = {"kubernetes.default.svc", "kubernetes.default", "kubernetes", "localhost"};
  names.ip_addresses = {IpAddress::LoopbackV4()};
  if (options.advertise_address) names.ip_addresses.push_back(*options.advertise_address);
  for (const IpRange& range : options.service.cluster_ip_ranges) {
    if (const auto first = range.At(1)) names.ip_addresses.push_back(*first);
  }
  SKIFF_RETURN_IF_ERROR(
      EnsureSelfSigned(cert_file, key_file, options.external_hostname, names, clock));
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
  FillDerived(line.options, FindHostFacts());
  if (wanted_anonymous && !line.options.anonymous_auth) {
    log.Warning("anonymous requests are not accepted, as AlwaysAllow would let them do everything");
  }
  SKIFF_RETURN_IF_ERROR(EnsureServingCertificate(line, clock));
  // What derives from the certificate's key is known only now.
  FillDerived(line.options, {});
  SKIFF_RETURN_IF_ERROR(Validate(line.options));
  if (!line.options.permit_port_sharing) {
    SKIFF_RETURN_IF_ERROR(CheckPortFree(line.options.bind_address, line.options.secure_port,
                                        "choose another with --secure-port"));
  }
  SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<ApiServer> server,
                         ApiServer::Start(line.options, clock, random, log));
  for (const std::string& address : server->addresses()) {
    log.Info("serving", {{"address", address}});
  }
  while (!signals.WaitFor(kForLong)) {
  }
  signals.LetThemEndTheProcess();
  log.Info("stopping");
  server->Drain();
  log.Info("stopped");
  return {};
}

}  // namespace

int RunKubeApiServer(std::span<const std::string_view> words) {
  ApiServerCommandLine line;
  if (const Result<void> parsed = ParseApiServerFlags(words, line); !parsed) {
    return Complain(parsed.error().message(), kExitUsage);
  }
  if (line.help) return PrintText(HelpText());
  if (!line.version.empty()) return PrintText(VersionOutput(line));
  const Result<void> served = Serve(line);
  if (!served) return Complain(served.error().message(), kExitFailure);
  return kExitSuccess;
}

}  // namespace skiff
