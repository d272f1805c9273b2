// `skiff down`: ends the process that holds the lock on a data directory.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include <sys/syscall.h>

#include "base/clock.h"
#include "cli/common/flag_values.h"
#include "cli/up/up_commands.h"
#include "cli/up/up_directory.h"

namespace skiff::cli {
namespace {

// A process that cannot be confused with another that gets its number later.
class ProcessHandle {
 public:
  explicit ProcessHandle(pid_t pid) : fd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ProcessHandle(const ProcessHandle&) = delete;
  ProcessHandle& operator=(const ProcessHandle&) = delete;
  ~ProcessHandle() {
    if (fd_ >= 0) close(fd_);
  }

  bool valid() const { return fd_ >= 0; }
  bool Signal(int number) const {
    return syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0) == 0;
  }
  // Whether it ended within that time.
  bool WaitForEnd(Duration time) const {
    SystemClock clock;
    const Duration deadline = clock.Monotonic() + time;
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.Monotonic());
      pollfd wait{.fd = fd_, .events = POLLIN, .revents = 0};
      const int ready = poll(&wait, 1, std::max(0, static_cast<int>(left.count())));
      if (ready > 0) return true;
      if (ready == 0) return false;
      if (errno != EINTR) return false;
    }
  }

 private:
  const int fd_;
};

class DownRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    DeclareDataDir(flags, &data_dir_);
    flags.Add({.name = "timeout",
               .placeholder = "DURATION",
               .help = "how long to wait for it to end",
               .value = Text(&timeout_text_)});
  }

  Result<void> Check() override {
    const Result<void> set = flag_values::Set(timeout_, timeout_text_, true);
    if (!set) return BadRequest("--timeout: " + set.error().message());
    return {};
  }

  int Run() override {
    const Result<std::string> done = Stop();
    if (done) return PrintText(*done + "\n");
    std::fprintf(stderr, "skiff down: %s\n", done.error().message().c_str());
    return kExitFailure;
  }

 private:
  Result<std::string> Stop() {
    SKIFF_ASSIGN_OR_RETURN(const UpDirectory place, UpDirectory::Find(data_dir_));
    SKIFF_ASSIGN_OR_RETURN(const std::optional<pid_t> owner, place.Owner());
    if (!owner) return "no cluster runs in " + place.root();
    if (*owner == 0) return BadRequest("a cluster is just starting or ending; try again");
    const std::string shown = "pid " + std::to_string(*owner);
    const ProcessHandle process(*owner);
    // The number is that of the lock's holder as long as the lock is held.
    SKIFF_ASSIGN_OR_RETURN(const std::optional<pid_t> still, place.Owner());
    if (!still || *still != *owner || (!process.valid() && errno == ESRCH)) {
      return "the cluster has just ended (" + shown + ")";
    }
    if (!process.valid() || !process.Signal(SIGTERM)) {
      return BadRequest("cannot stop " + shown + ": " + std::generic_category().message(errno));
    }
    if (!process.WaitForEnd(timeout_)) {
      return BadRequest(
          shown + " has not ended within " + timeout_text_ +
          "; it goes on finishing what is under way. Wait with a longer --timeout, or "
          "run '" +
          place.CommandFor("down") + "' once more to end it at once");
    }
    return "stopped the cluster (" + shown + "); its data stays in " + place.root();
  }

  std::string data_dir_;
  std::string timeout_text_ = "30s";
  Duration timeout_{};
};

}  // namespace

std::unique_ptr<CommandRun> MakeDown() { return std::make_unique<DownRun>(); }

}  // namespace skiff::cli
