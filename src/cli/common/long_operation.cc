#include "cli/common/long_operation.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <sys/eventfd.h>
#include <sys/signalfd.h>

namespace skiff::cli {
namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr Duration kShowEvery = std::chrono::milliseconds(100);
// Other threads may still be adding files to a directory that is being removed.
constexpr int kMaxRemovals = 1000;
constexpr int kLooksUntilGone = 20;  // a millisecond apart

}  // namespace

LongOperation::LongOperation(std::string command)
    : command_(std::move(command)), on_terminal_(isatty(STDERR_FILENO) == 1) {
  // A write beyond the limit of file sizes is then an error like a full disk.
  signal(SIGXFSZ, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kEndingSignals) {
    struct sigaction old;
    // Who ignores a signal, as nohup does, wants the program to survive it.
    if (sigaction(number, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    sigaddset(&set, number);
    handled_.push_back(number);
  }
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  stop_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::make_unique<Thread>("signals", [this] { WaitForSignals(); });
}

LongOperation::~LongOperation() {
  ClearLine();
  if (stop_ >= 0) eventfd_write(stop_, 1);
  thread_->Join();
  if (signals_ >= 0) close(signals_);
  if (stop_ >= 0) close(stop_);
  sigset_t set;
  sigemptyset(&set);
  for (const int number : handled_) sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

Result<void> LongOperation::Make(const std::function<Result<std::string>()>& make) {
  std::lock_guard lock(mutex_);
  SKIFF_ASSIGN_OR_RETURN(remove_, make());
  return {};
}

Result<void> LongOperation::Publish(const std::function<Result<void>()>& publish) {
  std::lock_guard lock(mutex_);
  SKIFF_RETURN_IF_ERROR(publish());
  remove_.clear();
  return {};
}

void LongOperation::PrintOnSignal(std::string text) {
  std::lock_guard lock(mutex_);
  say_ = std::move(text);
}

void LongOperation::WaitForSignals() {
  while (true) {
    pollfd waiting[] = {{signals_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) continue;
    if (waiting[0].revents != 0) {
      signalfd_siginfo came;
      if (read(signals_, &came, sizeof came) == sizeof came)
        EndBy(static_cast<int>(came.ssi_signo));
    }
    if (waiting[1].revents != 0) return;
  }
}

void LongOperation::EndBy(int number) {
  ClearLine();
  // Never unlocked: nothing may be made any more.
  mutex_.lock();
  std::error_code error;
  // The work goes on in other threads and may make the directory and files in it again: it is gone
  // when it stays gone for a while.
  for (int i = 0, gone = 0; !remove_.empty() && i < kMaxRemovals && gone < kLooksUntilGone; ++i) {
    const auto removed = std::filesystem::remove_all(remove_, error);
    gone = error || removed != 0 ? 0 : gone + 1;
    if (gone != 0) poll(nullptr, 0, 1);
  }
  if (error) std::fprintf(stderr, "%s: %s is left behind\n", command_.c_str(), remove_.c_str());
  if (!say_.empty()) std::fprintf(stderr, "%s: %s\n", command_.c_str(), say_.c_str());
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
}

store::ProgressFunction LongOperation::Step(std::string_view what) {
  if (!on_terminal_) return {};
  return [this, what = std::string(what)](const store::WorkProgress& progress) {
    Show(what, progress);
  };
}

void LongOperation::Show(const std::string& what, const store::WorkProgress& progress) {
  std::lock_guard lock(mutex_);
  const Duration now = clock_.Monotonic();
  if (now < next_show_) return;
  next_show_ = now + kShowEvery;
  std::string line = what + ": " + Grouped(progress.entries);
  if (progress.of_entries != 0) {
    line += " of " + Grouped(progress.of_entries) + " keys (" +
            std::to_string(progress.entries * 100 / progress.of_entries) + "%)";
  } else {
    line += " keys";
  }
  line += ", " + HumanBytes(progress.bytes);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  line_shown_ = true;
}

void LongOperation::ClearLine() {
  std::lock_guard lock(mutex_);
  if (!std::exchange(line_shown_, false)) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

std::string Grouped(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string HumanBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

}  // namespace skiff::cli
