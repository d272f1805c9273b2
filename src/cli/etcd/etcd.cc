#include "cli/etcd/etcd.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/random.h"
#include "base/version.h"
#include "cli/common/flag_values.h"
#include "cli/common/host.h"
#include "cli/common/shutdown_watchdog.h"
#include "cli/common/stop_signals.h"
#include "cli/etcd/etcd_flags.h"
#include "cli/etcd/etcd_log.h"
#include "store/etcd_server/core.h"

namespace skiff::cli {
namespace {

constexpr Duration kForLong = std::chrono::hours(24 * 365);
constexpr Duration kDrainTime = std::chrono::seconds(5);
constexpr int kDebugLevel = 4;
constexpr int kInfoLevel = 2;

class EtcdRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override { DeclareEtcdFlags(flags, values_, &fault_); }

  Result<void> Check() override {
    if (values_.version) return {};
    if (!fault_.empty()) return BadRequest(fault_);
    SKIFF_RETURN_IF_ERROR(ReadEtcdConfigFile(values_));
    SKIFF_ASSIGN_OR_RETURN(options_, ToServerOptions(values_));
    return {};
  }

  int Run() override {
    if (values_.version) {
      return PrintText("etcd Version: " + std::string(store::kEtcdServerVersion) +
                       "\nSkiff Version: " + std::string(kVersion) + "\n");
    }
    if (const Result<void> served = Serve(); !served) {
      std::fprintf(stderr, "skiff etcd: %s\n", served.error().message().c_str());
      return kExitFailure;
    }
    return kExitSuccess;
  }

 private:
  // Of what can be looked at before: an IP address with a port.
  static Result<void> CheckFree(std::string_view address) {
    const size_t colon = std::min(address.rfind(':'), address.size());
    std::string_view host = address.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const Result<IpAddress> ip = IpAddress::Parse(host);
    uint16_t port = 0;
    if (!ip || !flag_values::Set(port, address.substr(std::min(colon + 1, address.size())), true)) {
      return {};
    }
    return CheckPortFree(*ip, port, "choose another with --listen-client-urls");
  }

  Result<void> Serve() {
    StopSignals signals;
    PrepareToServe();
    SystemClock clock;
    SystemRandom random;
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<EtcdLogSink> sink,
                           EtcdLogSink::Open(values_.log_outputs, values_.log_level));
    Log log(clock, *sink, values_.log_level == "debug" ? kDebugLevel : kInfoLevel);
    if (!options_.sync)
      log.Warning("writes do not wait for the disk: a power cut may take what was acknowledged");
    for (const auto* addresses : {&options_.plain_addresses, &options_.tls_addresses}) {
      for (const std::string& address : *addresses) SKIFF_RETURN_IF_ERROR(CheckFree(address));
    }
    ShutdownWatchdog shutdown_watchdog(clock, log);
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<store::EtcdServer> server,
                           store::EtcdServer::Start(options_, clock, random, log));
    for (const std::string& address : server->addresses())
      log.Info("serving", {{"address", address}});
    while (!signals.WaitFor(kForLong)) {
    }
    signals.RestoreDefaultActions();
    shutdown_watchdog.Arm(kDrainTime + limits::kShutdownMargin,
                          [] { return std::string("requests, or the store"); });
    log.Info("stopping");
    server->Drain(kDrainTime);
    log.Info("stopped");
    return {};
  }

  EtcdFlags values_;
  std::string fault_;
  store::EtcdServerOptions options_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeEtcd() { return std::make_unique<EtcdRun>(); }

std::vector<std::string> WithTwoDashes(std::span<const std::string_view> words) {
  std::vector<std::string> dashed;
  dashed.reserve(words.size());
  for (const std::string_view word : words) {
    const bool has_one_dash = word.size() > 2 && word[0] == '-' && word[1] != '-';
    dashed.push_back((has_one_dash ? "-" : "") + std::string(word));
  }
  return dashed;
}

}  // namespace skiff::cli
