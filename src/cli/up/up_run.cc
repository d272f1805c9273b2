// `skiff up`: its flags, the foreground, and how it is detached.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "base/strings.h"
#include "cli/common/flag_values.h"
#include "cli/common/host.h"
#include "cli/common/shutdown_watchdog.h"
#include "cli/up/up.h"
#include "cli/up/up_commands.h"
#include "object/scalar/names.h"
#include "pki/files.h"

namespace skiff::cli {
namespace {

constexpr Duration kRenewalInterval = std::chrono::hours(12);
constexpr const char* kReadyWord = "ready ";

// Of a log, as far as it is not very long.
std::string LastLine(const std::string& path) {
  std::array<char, 4096> end{};
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const off_t size = lseek(fd, 0, SEEK_END);
  const ssize_t got =
      pread(fd, end.data(), end.size(), std::max<off_t>(0, size - static_cast<off_t>(end.size())));
  close(fd);
  std::string_view text(end.data(), static_cast<size_t>(std::max<ssize_t>(0, got)));
  text = TrimSpace(text);
  return std::string(text.substr(text.rfind('\n') + 1));
}

void Say(const std::string& line) { std::fprintf(stderr, "skiff up: %s\n", line.c_str()); }

class UpRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override;
  Result<void> Check() override;
  int Run() override;

 private:
  int RunInForeground(const UpDirectory& place, int report);
  Result<std::string> Serve(const UpDirectory& place, int report);
  int Detach(const UpDirectory& place);
  int AwaitDetached(const UpDirectory& place, pid_t child, int report);

  UpOptions options_;
  bool detach_ = false;
  std::string timeout_text_ = "30s";
  Duration timeout_{};
};

void UpRun::Declare(FlagSet& flags) {
  DeclareDataDir(flags, &options_.data_dir);
  flags.Add({.name = "port",
             .letter = 'p',
             .placeholder = "PORT",
             .help = "the port to listen on; 0: any that is free",
             .value = WholeNumber(&options_.port, 0)});
  flags.Add({.name = "bind-address",
             .placeholder = "IP",
             .help = "the address to listen on; 0.0.0.0: all of this machine's",
             .value = Text(&options_.bind_address)});
  flags.Add({.name = "detach",
             .letter = 'd',
             .help = "return when the cluster is ready, and leave it running",
             .value = Switch(&detach_)});
  flags.Add({.name = "timeout",
             .placeholder = "DURATION",
             .help = "how long --detach waits for the cluster to be ready",
             .value = Text(&timeout_text_)});
  flags.Add({.name = "kubeconfig",
             .placeholder = "FILE",
             .help = "write a copy of the kubeconfig there",
             .completes = Completes::kFiles,
             .value = Text(&options_.kubeconfig)});
  flags.Add({.name = "controllers",
             .placeholder = "NAME,...",
             .help = "the control loops to run, as kube-controller-manager takes them: '*' for all "
                     "that are on by default, 'name' to run one, '-name' to leave one out; 'none' "
                     "runs none",
             .value = TextList(&options_.controllers)});
  flags.Add({.name = "tls-san",
             .placeholder = "NAME,...",
             .help = "more names and addresses that the server's certificate is for",
             .value = TextList(&options_.tls_sans)});
  flags.Take({.placeholder = "-- FLAG",
              .max = limits::kMaxPassedFlags,
              .target = &options_.apiserver_flags});
}

Result<void> UpRun::Check() {
  if (options_.port > UINT16_MAX) return BadRequest("--port: there are ports up to 65535 only");
  if (const Result<void> set = flag_values::Set(timeout_, timeout_text_, true); !set) {
    return BadRequest("--timeout: " + set.error().message());
  }
  const Result<IpAddress> address = IpAddress::Parse(options_.bind_address);
  if (!address) return BadRequest("--bind-address: " + address.error().message());
  for (const std::string& name : options_.tls_sans) {
    if (IpAddress::Parse(name) || object::IsDns1123SubdomainCaseless(name)) continue;
    if (object::IsWildcardDns1123Subdomain(name)) continue;
    return BadRequest("--tls-san: " + Quoted(name) + " is neither a host name nor an IP address");
  }
  if (const Result<void> known = CheckLoops(options_); !known) {
    return BadRequest("--controllers: " + known.error().message());
  }
  // Faults of these are told before anything is made or started.
  ApiServerCommandLine line;
  const std::vector<std::string_view> words(options_.apiserver_flags.begin(),
                                            options_.apiserver_flags.end());
  if (const Result<void> parsed = ParseApiServerFlags(words, line); !parsed) {
    return BadRequest(parsed.error().message() + " (behind '--'; see 'kube-apiserver --help')");
  }
  if (line.help || !line.version.empty()) {
    return BadRequest("'kube-apiserver --help' lists the flags that can follow '--'");
  }
  return {};
}

int UpRun::Run() {
  Result<UpDirectory> place = UpDirectory::Find(options_.data_dir);
  if (!place) {
    Say(place.error().message());
    return kExitFailure;
  }
  if (!options_.kubeconfig.empty()) {
    const std::filesystem::path path = std::filesystem::absolute(options_.kubeconfig);
    options_.kubeconfig = path.string();
    if (const Result<void> made = pki::MakeDirectories(path.parent_path(), 0755); !made) {
      Say("--kubeconfig: " + made.error().message());
      return kExitFailure;
    }
  }
  return detach_ ? Detach(*place) : RunInForeground(*place, -1);
}

// Runs the cluster until it is stopped. `report` is a pipe to whoever waits for it, or -1.
int UpRun::RunInForeground(const UpDirectory& place, int report) {
  const Result<std::string> ended = Serve(place, report);
  if (ended) {
    if (!ended->empty()) Say(*ended);
    return kExitSuccess;
  }
  Say(ended.error().message());
  if (report >= 0) {
    const std::string& text = ended.error().message();
    if (write(report, text.data(), text.size()) < 0) return kExitFailure;
  }
  return kExitFailure;
}

Result<std::string> UpRun::Serve(const UpDirectory& place, int report) {
  StopSignals signals;
  PrepareToServe();
  SystemClock clock;
  SystemRandom random;
  FileLogSink sink(STDERR_FILENO);
  Log log(clock, sink);
  const Duration begin = clock.Monotonic();
  SKIFF_ASSIGN_OR_RETURN(const UpLock lock, UpLock::Take(place));
  ClusterStart cluster(options_, place, clock, random, log, Say);
  SKIFF_RETURN_IF_ERROR(cluster.Prepare());
  ShutdownWatchdog shutdown_watchdog(clock, log);
  SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<apiserver::ApiServer> server,
                         cluster.Start(signals));
  if (server == nullptr) return "stopped before it was ready";
  SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<UpControllers> loops, cluster.StartLoops(*server));
  const auto took = std::chrono::floor<std::chrono::milliseconds>(clock.Monotonic() - begin);
  if (report >= 0) {
    const std::string word = kReadyWord + cluster.server_url();
    if (write(report, word.data(), word.size()) < 0) log.Warning("nobody waits any more");
    close(report);
  } else {
    PrintText(ConnectText(options_, place, cluster.server_url()) + "\nReady after " +
              std::to_string(took.count()) + " ms. Ctrl-C stops it.\n");
  }

  std::optional<int> signal;
  while (!(signal = signals.WaitFor(kRenewalInterval))) {
    const Result<void> renewed = cluster.Renew();
    if (!renewed) log.Error("cannot renew certificates", {{"error", renewed.error().message()}});
  }
  signals.RestoreDefaultActions();
  shutdown_watchdog.Arm(server->DrainTime() + limits::kShutdownMargin,
                        [&server] { return server->UnderWay(); });
  Say("stopping; once more ends it at once");
  loops = nullptr;
  server->Drain();
  shutdown_watchdog.SetStage("the store is being closed");
  unlink(place.running_file().c_str());
  return "stopped";
}

int UpRun::Detach(const UpDirectory& place) {
  // What would fail anyway fails here, where somebody sees it.
  {
    const Result<UpLock> lock = UpLock::Take(place);
    if (!lock) {
      Say(lock.error().message());
      return kExitFailure;
    }
  }
  struct stat log {};
  if (stat(place.log_file().c_str(), &log) == 0 && log.st_size > limits::kMaxUpLogBytes) {
    rename(place.log_file().c_str(), place.old_log_file().c_str());
  }
  const int log_fd = open(place.log_file().c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                          pki::kSecretFileMode);
  const int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  std::array<int, 2> report{-1, -1};
  if (log_fd < 0 || null_fd < 0 || pipe2(report.data(), O_CLOEXEC) != 0) {
    Say(pki::FileError("cannot write", place.log_file()).error().message());
    return kExitFailure;
  }
  const pid_t child = fork();
  if (child < 0) {
    Say("the system has no process to give");
    return kExitFailure;
  }
  if (child == 0) {
    setsid();
    signal(SIGHUP, SIG_IGN);
    close(report[0]);
    dup2(null_fd, STDIN_FILENO);
    dup2(null_fd, STDOUT_FILENO);
    dup2(log_fd, STDERR_FILENO);
    // The directory that it was started in may be unmounted.
    if (chdir("/") != 0) return kExitFailure;
    return RunInForeground(place, report[1]);
  }
  close(report[1]);
  close(log_fd);
  close(null_fd);
  return AwaitDetached(place, child, report[0]);
}

int UpRun::AwaitDetached(const UpDirectory& place, pid_t child, int report) {
  std::string said;
  std::array<char, 4096> piece;
  SystemClock clock;
  const Duration deadline = clock.Monotonic() + timeout_;
  bool in_time = true;
  while (true) {
    const Duration left = deadline - clock.Monotonic();
    pollfd wait{.fd = report, .events = POLLIN, .revents = 0};
    const int ready = poll(&wait, 1, static_cast<int>(left / std::chrono::milliseconds(1)));
    if (ready < 0 && errno == EINTR) continue;
    in_time = ready > 0 && left > Duration::zero();
    if (!in_time) break;
    const ssize_t got = read(report, piece.data(), piece.size());
    if (got <= 0) break;
    said.append(piece.data(), static_cast<size_t>(got));
  }
  close(report);
  if (said.starts_with(kReadyWord)) {
    const std::string url = said.substr(std::string_view(kReadyWord).size());
    return PrintText(ConnectText(options_, place, url) + "\n'" + place.CommandFor("down") +
                     "' stops it; its log is " + place.log_file() + "\n");
  }
  if (!in_time) {
    // Before it writes about its end.
    const std::string last = LastLine(place.log_file());
    kill(child, SIGTERM);
    Say("not ready within " + timeout_text_ + ", and stopped; see " + place.log_file() +
        ", which ends so:\n" + last);
  } else {
    waitpid(child, nullptr, 0);
    Say(said.empty() ? "ended before it was ready; see " + place.log_file() : said);
  }
  return kExitFailure;
}

}  // namespace

std::unique_ptr<CommandRun> MakeUp() { return std::make_unique<UpRun>(); }

}  // namespace skiff::cli
