#include "cli/etcd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/etcd_flags.h"
#include "cli/host.h"
#include "cli/stop_signals.h"
#include "cli/version.h"
#include "net/unique_fd.h"
#include "store/etcd_server/core.h"

namespace skiff {
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
      return PrintText("etcd Version: " + std::string(kEtcdServerVersion) +
                       "\nSkiff Version: " + std::string(kVersion) + "\n");
    }
    if (const Result<void> served = Serve(); !served) {
      std::fprintf(stderr, "skiff etcd: %s\n", served.error().message().c_str());
      return kExitFailure;
    }
    return kExitSuccess;
  }

 private:
  Result<int> OpenLog() {
    const std::string& where = values_.log_outputs;
    if (where == "stdout") return STDOUT_FILENO;
    if (where.empty() || where == "default" || where == "stderr") return STDERR_FILENO;
    log_file_ = UniqueFd(open(where.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (log_file_) return log_file_.get();
    return Fail(StatusReason::kInternalError,
                "--log-outputs: cannot open " + where + ": " + std::strerror(errno));
  }

  Result<void> Serve() {
    StopSignals signals;
    PrepareToServe();
    SystemClock clock;
    SystemRandom random;
    SKIFF_ASSIGN_OR_RETURN(const int log_fd, OpenLog());
    FileLogSink sink(log_fd);
    Log log(clock, sink, values_.log_level == "debug" ? kDebugLevel : kInfoLevel);
    if (!options_.sync)
      log.Warning("writes do not wait for the disk: a power cut may take what was acknowledged");
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<EtcdServer> server,
                           EtcdServer::Start(options_, clock, random, log));
    for (const std::string& address : server->addresses())
      log.Info("serving", {{"address", address}});
    while (!signals.WaitFor(kForLong)) {
    }
    signals.LetThemEndTheProcess();
    log.Info("stopping");
    server->Drain(kDrainTime);
    log.Info("stopped");
    return {};
  }

  EtcdFlags values_;
  std::string fault_;
  EtcdServerOptions options_;
  UniqueFd log_file_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeEtcd() { return std::make_unique<EtcdRun>(); }

int RunEtcd(std::span<const std::string_view> words) {
  std::vector<std::string> dashed;
  dashed.reserve(words.size());
  for (const std::string_view word : words) {
    const bool has_one_dash = word.size() > 2 && word[0] == '-' && word[1] != '-';
    dashed.push_back((has_one_dash ? "-" : "") + std::string(word));
  }
  std::vector<std::string_view> all = {"etcd"};
  all.insert(all.end(), dashed.begin(), dashed.end());
  return RunCommandLine(all);
}

}  // namespace skiff
