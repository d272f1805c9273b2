#include "tests/store/child_process.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/temporary_directory.h"

namespace skiff::testing {
namespace {

// In the forked child: only what is safe after the fork of a process with threads.
[[noreturn]] void BecomeCommand(char* const* argv, int output, int network_namespace, pid_t parent,
                                int error_pipe) {
  bool ready = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent;
  ready = ready && (network_namespace < 0 || ::setns(network_namespace, CLONE_NEWNET) == 0);
  ready = ready && ::dup2(output, 1) >= 0 && ::dup2(output, 2) >= 0;
  ready = ready && ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
  if (ready) {
    // gRPC and the sanitizers block or handle signals; a program expects neither.
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvp(argv[0], argv);
  }
  int error = errno;
  [[maybe_unused]] ssize_t written = ::write(error_pipe, &error, sizeof(error));
  ::_exit(127);
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::Start(ChildOptions options) {
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  std::string name = options.command.at(0);
  child->thread_ = std::make_unique<Thread>(
      "child", [raw = child.get(), given = std::move(options)] { raw->Live(given); });
  std::unique_lock lock(child->mutex_);
  child->changed_.wait(lock, [&] { return child->started_; });
  if (child->start_error_ != 0)
    return Fail(StatusReason::kInternalError,
                "cannot run " + name + ": " + std::strerror(child->start_error_));
  return child;
}

ChildProcess::~ChildProcess() {
  Signal(SIGKILL);
  thread_->Join();
}

void ChildProcess::Live(const ChildOptions& options) {
  std::vector<char*> argv;
  for (const std::string& word : options.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const char* path = options.output_file.empty() ? "/dev/null" : options.output_file.c_str();
  int output = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int error_pipe[2] = {-1, -1};
  int error = ::pipe2(error_pipe, O_CLOEXEC) == 0 && output >= 0 ? 0 : errno;
  pid_t parent = ::getpid();
  pid_t pid = error == 0 ? ::fork() : -1;
  if (pid == 0)
    BecomeCommand(argv.data(), output, options.network_namespace, parent, error_pipe[1]);
  if (pid < 0 && error == 0) error = errno;
  ::close(error_pipe[1]);
  // The pipe closes by itself when the program begins.
  if (pid > 0 && ::read(error_pipe[0], &error, sizeof(error)) != sizeof(error)) error = 0;
  ::close(error_pipe[0]);
  ::close(output);
  {
    std::lock_guard lock(mutex_);
    pid_ = pid;
    start_error_ = error;
    started_ = true;
    changed_.notify_all();
  }
  if (pid < 0) return;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0) {
  }
  // Reaped under the lock, so that Signal() never meets a pid that has a new owner.
  std::lock_guard lock(mutex_);
  int status = 0;
  ::waitpid(pid, &status, 0);
  ended_ = status;
  changed_.notify_all();
}

void ChildProcess::Signal(int signal) {
  std::lock_guard lock(mutex_);
  if (pid_ > 0 && !ended_) ::kill(pid_, signal);
}

std::optional<int> ChildProcess::WaitFor(Clock& clock, Duration limit) {
  Duration deadline = clock.Monotonic() + limit;
  std::unique_lock lock(mutex_);
  while (!ended_ && clock.Monotonic() < deadline) clock.WaitUntil(changed_, lock, deadline);
  return ended_;
}

bool ChildProcess::Running() {
  std::lock_guard lock(mutex_);
  return !ended_;
}

Result<std::string> RunCommand(Clock& clock, ChildOptions options, Duration limit) {
  TemporaryDirectory directory;
  std::string shown;
  for (const std::string& word : options.command) shown += (shown.empty() ? "" : " ") + word;
  options.output_file = directory.path() + "/output";
  SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child,
                         ChildProcess::Start(std::move(options)));
  std::optional<int> status = child->WaitFor(clock, limit);
  std::ifstream file(directory.path() + "/output");
  std::string output((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!status) return Fail(StatusReason::kTimeout, shown + " takes too long: " + output);
  if (*status != 0)
    return Fail(StatusReason::kInternalError,
                shown + " ended with status " + std::to_string(*status) + ": " + output);
  return output;
}

bool HasProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/bin" : path;
  for (size_t from = 0; from <= folders.size();) {
    size_t to = std::min(folders.find(':', from), folders.size());
    if (::access((folders.substr(from, to - from) + "/" + name).c_str(), X_OK) == 0) return true;
    from = to + 1;
  }
  return false;
}

}  // namespace skiff::testing
