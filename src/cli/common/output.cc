#include "cli/common/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/stat.h>

#include "base/limits.h"
#include "base/temporary_name.h"
#include "cli/common/diagnostics.h"

namespace skiff::cli {
namespace {

std::unexpected<Status> CannotWrite(const std::string& shown, int error) {
  return Fail(StatusReason::kInternalError,
              "cannot write " + Printable(shown) + ": " + std::strerror(error));
}

Result<void> WriteAll(int fd, std::string_view bytes, const std::string& shown) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return CannotWrite(shown, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// The temporary file that a signal must remove. Set while it exists; a handler may run at any time.
char removed_on_signal[PATH_MAX];
std::atomic<bool> has_temporary_file{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};

void RemoveAndDie(int signal_number) {
  if (has_temporary_file) unlink(removed_on_signal);
  signal(signal_number, SIG_DFL);
  raise(signal_number);  // delivered when the handler returns: the shell sees why we ended
}

// A file beside the destination, removed again unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& destination) {
    path_ = TemporaryNameBeside(destination);
    if (path_.size() >= sizeof removed_on_signal) {
      errno = ENAMETOOLONG;
      return;
    }
    for (const int number : kEndingSignals) {
      struct sigaction old;
      // Who ignores a signal, as nohup does, wants the program to survive it.
      if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) {
        signal(number, RemoveAndDie);
        handled_.push_back(number);
      }
    }
    // Between the creation and the note of its name no signal may come.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fd_ = mkostemp(path_.data(), O_CLOEXEC);
    const int error = errno;
    if (fd_ >= 0) {
      std::memcpy(removed_on_signal, path_.c_str(), path_.size() + 1);
      has_temporary_file = true;
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    errno = error;
  }

  ~TemporaryFile() {
    if (fd_ >= 0) close(fd_);
    if (has_temporary_file) unlink(path_.c_str());
    has_temporary_file = false;
    for (const int number : handled_) signal(number, SIG_DFL);
  }

  int fd() const { return fd_; }

  bool RenameTo(const std::string& destination) {
    const int closed = close(fd_);
    fd_ = -1;
    // Delayed errors, such as a quota of a network file system, show up here.
    if (closed != 0 || rename(path_.c_str(), destination.c_str()) != 0) return false;
    has_temporary_file = false;
    return true;
  }

 private:
  std::string path_;
  int fd_ = -1;
  std::vector<int> handled_;
};

mode_t ModeOfNewFiles() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

HeldOutput::~HeldOutput() {
  if (spilled_ != nullptr) std::fclose(spilled_);
}

Result<void> HeldOutput::Append(std::string_view bytes) {
  buffer_.Append(bytes);
  if (buffer_.size() <= limits::kMaxConvertBufferedBytes) return {};
  if (spilled_ == nullptr) spilled_ = std::tmpfile();
  if (spilled_ == nullptr) return CannotWrite("a temporary file", errno);
  SKIFF_RETURN_IF_ERROR(WriteAll(fileno(spilled_), buffer_.view(), "a temporary file"));
  buffer_.Clear();
  return {};
}

Result<void> HeldOutput::CommitTo(const std::string& path) {
  if (path.empty() || path == "-") return WriteTo(STDOUT_FILENO, "standard output");
  struct stat found;
  if (stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode)) return ReplaceFile(path);
  if (S_ISDIR(found.st_mode)) return CannotWrite(path, EISDIR);
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return CannotWrite(path, errno);
  Result<void> written = WriteTo(fd, path);
  if (close(fd) != 0 && written) return CannotWrite(path, errno);
  return written;
}

Result<void> HeldOutput::WriteTo(int fd, const std::string& shown) {
  if (spilled_ != nullptr) {
    std::vector<char> chunk(1 << 20);
    for (off_t at = 0;;) {
      const ssize_t got = pread(fileno(spilled_), chunk.data(), chunk.size(), at);
      if (got < 0) return CannotWrite(shown, errno);
      if (got == 0) break;
      SKIFF_RETURN_IF_ERROR(WriteAll(fd, {chunk.data(), static_cast<size_t>(got)}, shown));
      at += got;
    }
  }
  return WriteAll(fd, buffer_.view(), shown);
}

Result<void> HeldOutput::ReplaceFile(const std::string& path) {
  // Where the path is a link, the file that it leads to is replaced, not the link.
  std::string destination = path;
  mode_t mode = ModeOfNewFiles();
  if (char* resolved = realpath(path.c_str(), nullptr); resolved != nullptr) {
    destination = resolved;
    std::free(resolved);
    struct stat found;
    if (stat(destination.c_str(), &found) == 0) mode = found.st_mode & 07777;
    // Renaming would pass over the protection of a file that may not be written.
    if (access(destination.c_str(), W_OK) != 0) return CannotWrite(path, errno);
  }
  TemporaryFile file(destination);
  if (file.fd() < 0) return CannotWrite(path, errno);
  SKIFF_RETURN_IF_ERROR(WriteTo(file.fd(), path));
  if (fchmod(file.fd(), mode) != 0 || !file.RenameTo(destination)) return CannotWrite(path, errno);
  return {};
}

}  // namespace skiff::cli
